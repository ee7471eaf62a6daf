"""The preference certificate: what it says, how often it is wrong, and that it never speaks of ties."""

from __future__ import annotations

from itertools import product
from typing import get_args

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import binom

from analysis.errors import InputError
from analysis.readout.certified import certificates
from analysis.readout.panel import panel_of
from analysis.readout.preference import (
    METHODS,
    Status,
    certification_chance,
    least_branches,
    preference,
    smallest_gap,
)


def test_statuses() -> None:
    assert set(get_args(Status)) == {"unique_winner", "equivalent_within_margin", "undecided"}
    found = preference([95, 20, 30], 100)
    assert (found.status, found.winner) == ("unique_winner", 0)
    assert preference([60, 55, 50], 100).status == "undecided"
    assert preference([50, 50, 50], 100).status == "undecided"  # equal counts are no evidence of equal chances
    assert preference([50_000, 50_100, 49_900], 100_000, margin=0.05).status == "equivalent_within_margin"
    assert preference([50, 50, 50], 100, margin=0.05).status == "undecided"
    assert preference([95, 20, 30], 100, margin=0.05).status == "unique_winner"


@settings(max_examples=60, deadline=None)
@given(st.integers(1, 60), st.data(), st.sampled_from(sorted(METHODS)))
def test_a_winner_has_the_most_successes_and_its_bound_above_all(n: int, data: st.DataObject, method: str) -> None:
    counts = data.draw(st.lists(st.integers(0, n), min_size=2, max_size=4))
    found = preference(counts, n, 0.05, method, margin=0.2)
    if found.winner is not None:
        assert counts[found.winner] == max(counts) and counts.count(max(counts)) == 1
        assert all(found.bounds[found.winner][0] > high for place, (_, high) in enumerate(found.bounds)
                   if place != found.winner)  # fmt: skip
    elif found.status == "equivalent_within_margin":
        assert (max(counts) - min(counts)) / n <= 0.2


@settings(max_examples=40, deadline=None)
@given(st.integers(1, 60), st.data())
def test_clopper_pearson_certifies_whatever_hoeffding_does(n: int, data: st.DataObject) -> None:
    counts = data.draw(st.lists(st.integers(0, n), min_size=3, max_size=3))
    if preference(counts, n).status == "unique_winner":
        assert preference(counts, n, method="clopper-pearson").winner == preference(counts, n).winner


@pytest.mark.parametrize("method", sorted(METHODS))
def test_chances_are_those_of_all_counts(method: str) -> None:
    p, n = (0.95, 0.3, 0.1), 12
    expected = np.zeros(3)
    for counts in product(range(n + 1), repeat=3):
        found = preference(counts, n, 0.2, method)
        if found.winner is not None:
            expected[found.winner] += np.prod([binom.pmf(x, n, rate) for x, rate in zip(counts, p, strict=True)])
    assert certification_chance(p, n, 0.2, method) == pytest.approx(expected, abs=1e-12)


@pytest.mark.parametrize("method", sorted(METHODS))
@pytest.mark.parametrize("p", [(0.5, 0.5, 0.5), (0.5, 0.49, 0.48), (0.02, 0.01, 0.0), (0.9, 0.9, 0.1)])
def test_false_certificates_are_rare(method: str, p: tuple[float, float, float]) -> None:
    for n in (8, 32, 128):
        found = certification_chance(p, n, 0.05, method)
        wrong = sum(chance for place, chance in enumerate(found) if p[place] < max(p) or p.count(max(p)) > 1)
        assert wrong <= 0.05


def test_what_a_certificate_takes() -> None:
    for method in METHODS:
        n = least_branches(0.05, 3, method)
        assert preference([n, 0, 0], n, method=method).status == "unique_winner"
        assert preference([n - 1, 0, 0], n - 1, method=method).status == "undecided"
    n = least_branches()
    assert smallest_gap(n) < 1 <= smallest_gap(n - 1)


def test_certificates_of_a_panel() -> None:
    scores = np.zeros((2, 3, 40))
    scores[0, 1] = 1
    found = certificates(panel_of(scores))
    assert found is not None
    assert found["counts"] == {"unique_winner": 1, "equivalent_within_margin": 0, "undecided": 1}
    assert found["rows"][0]["winner"] == "action 2"
    assert found["rows"][0]["successes"] == [0, 40, 0]
    assert certificates(panel_of(scores / 2)) is None
    assert "tie" not in str(found)


@pytest.mark.parametrize(
    ("given_", "said"),
    [
        ({"successes": [1, 2]}, "are not possible"),
        ({"successes": [1]}, "at least two actions"),
        ({"successes": [1, 0], "method": "exact"}, "'exact' is not a certificate"),
        ({"successes": [1, 0], "delta": 0}, "an error of 0"),
        ({"successes": [1, 0], "margin": 1.5}, "a margin of 1.5"),
    ],
)
def test_impossible_questions_are_refused(given_: dict[str, object], said: str) -> None:
    with pytest.raises(InputError, match=said):
        preference(n=1, **given_)  # type: ignore[arg-type]
