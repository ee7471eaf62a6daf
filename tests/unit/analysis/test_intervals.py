"""Intervals against scipy.stats.binomtest and contingency tests, exact rationals, and their own edge cases."""

from __future__ import annotations

from fractions import Fraction
from math import comb

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import binomtest, fisher_exact

from analysis import intervals
from analysis.errors import InputError

COUNTS = st.integers(1, 60).flatmap(lambda n: st.tuples(st.integers(0, n), st.just(n)))


def at_least(k: int, n: int, rate: Fraction) -> Fraction:
    """P(X >= k), exactly."""
    return sum((comb(n, i) * rate**i * (1 - rate) ** (n - i) for i in range(k, n + 1)), Fraction(0))


@given(counts=COUNTS, error=st.sampled_from([0.3, 0.05, 0.05 / 312]))
def test_clopper_pearson_agrees_with_binomtest(counts: tuple[int, int], error: float) -> None:
    k, n = counts
    reference = binomtest(k, n).proportion_ci(confidence_level=1 - error, method="exact")
    found = intervals.clopper_pearson(k, n, error)
    assert found.low == pytest.approx(reference.low, abs=1e-9)
    assert found.high == pytest.approx(reference.high, abs=1e-9)


@given(counts=COUNTS, error=st.sampled_from([0.3, 0.05 / 624]))
def test_clopper_pearson_bounds_have_exactly_their_tail(counts: tuple[int, int], error: float) -> None:
    k, n = counts
    if k > 0:
        low = Fraction(float(intervals.clopper_pearson_lower(k, n, error)))
        assert float(at_least(k, n, low)) == pytest.approx(error, rel=1e-9)
    if k < n:
        high = Fraction(float(intervals.clopper_pearson_upper(k, n, error)))
        assert float(1 - at_least(k + 1, n, high)) == pytest.approx(error, rel=1e-7)


@pytest.mark.parametrize("n", [1, 7, 40])
@pytest.mark.parametrize("rate", [0.01, 0.3, 0.5, 0.97])
def test_clopper_pearson_covers_with_its_stated_chance(n: int, rate: float) -> None:
    k = np.arange(n + 1)
    low, high = intervals.clopper_pearson(k, np.full(n + 1, n), 0.1)
    chance = np.array([comb(n, i) * rate**i * (1 - rate) ** (n - i) for i in k])
    assert chance[low > rate].sum() <= 0.05 + 1e-12
    assert chance[high < rate].sum() <= 0.05 + 1e-12


@pytest.mark.parametrize("method", [intervals.clopper_pearson, intervals.wilson])
def test_edges(method: object) -> None:
    assert callable(method)
    assert method(0, 0, 0.05) == (0, 1)
    assert method(0, 9, 0.05).low == 0
    assert method(9, 9, 0.05).high == 1
    assert 0 < method(9, 9, 0.05).low < 1
    assert method(0, 9, 0.05).high == pytest.approx(1 - method(9, 9, 0.05).low, abs=1e-15)


def test_one_sided_edges_have_closed_forms() -> None:
    assert intervals.clopper_pearson_lower(5, 5, 0.01) == pytest.approx(0.01 ** (1 / 5), abs=1e-15)
    assert intervals.clopper_pearson_upper(0, 5, 0.01) == pytest.approx(1 - 0.01 ** (1 / 5), abs=1e-15)
    assert intervals.clopper_pearson_lower(0, 5, 0.01) == 0
    assert intervals.clopper_pearson_upper(5, 5, 0.01) == 1


@given(counts=COUNTS)
def test_wilson_agrees_with_binomtest(counts: tuple[int, int]) -> None:
    k, n = counts
    reference = binomtest(k, n).proportion_ci(confidence_level=0.9, method="wilson")
    assert intervals.wilson(k, n, 0.1) == pytest.approx((reference.low, reference.high), abs=1e-12)


@given(first=COUNTS, second=COUNTS)
def test_newcombe_lies_within_the_plain_difference_and_mirrors(first: tuple[int, int], second: tuple[int, int]) -> None:
    found = intervals.newcombe(*first, *second, 0.05)
    plain = intervals.wilson_limits_difference(*first, *second, 0.05)
    assert plain.low - 1e-12 <= found.low <= first[0] / first[1] - second[0] / second[1] + 1e-12
    assert found.high <= plain.high + 1e-12
    mirrored = intervals.newcombe(*second, *first, 0.05)
    assert (mirrored.low, mirrored.high) == pytest.approx((-found.high, -found.low), abs=1e-12)


def test_newcombe_published_example() -> None:
    """Newcombe 1998, table II, method 10: 56/70 against 48/80 gives 0.0524 to 0.3339."""
    assert intervals.newcombe(56, 70, 48, 80, 0.05) == pytest.approx((0.0524, 0.3339), abs=5e-5)


def test_difference_with_an_empty_sample_knows_nothing() -> None:
    assert intervals.newcombe(0, 0, 3, 5, 0.05) == (-1, 1)
    low, high = intervals.wilson_limits_difference(0, 0, 0, 0, 0.05)
    assert (low, high) == (-1, 1)


@given(first=COUNTS, second=COUNTS)
def test_fisher_agrees_with_scipy(first: tuple[int, int], second: tuple[int, int]) -> None:
    (a, n), (b, m) = first, second
    assert intervals.fisher_two_sided(a, n, b, m) == fisher_exact([[a, n - a], [b, m - b]])[1]


def test_fisher_of_an_empty_arm_is_no_evidence() -> None:
    assert intervals.fisher_two_sided(0, 0, 3, 4) == 1


@pytest.mark.parametrize(("k", "n", "error"), [(3, 2, 0.05), (-1, 2, 0.05), (1.5, 2, 0.05), (1, 2, 0.0), (1, 2, 1.0)])
def test_impossible_arguments_are_refused(k: float, n: int, error: float) -> None:
    with pytest.raises(InputError):
        intervals.clopper_pearson(k, n, error)


def test_arrays_broadcast() -> None:
    low, high = intervals.clopper_pearson(np.array([[0], [1]]), np.array([4, 5, 0 + 6]), 0.1)
    assert low.shape == high.shape == (2, 3)
    assert low[1, 2] == intervals.clopper_pearson(1, 6, 0.1).low
