"""Equations 17, 18 and 24 to 26 as properties."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from analysis import branches, evidence, intervals
from analysis.errors import InputError


@given(n=st.integers(1, 500), family=st.integers(1, 500))
def test_zero_success_bound_is_the_audits_upper_end(n: int, family: int) -> None:
    expected = float(intervals.clopper_pearson(0, n, 0.05 / (2 * family)).high)
    assert float(evidence.zero_success_upper(n, 0.05, family)) == pytest.approx(expected, abs=1e-12)


@given(epsilon=st.floats(0.001, 0.99), family=st.integers(1, 500))
def test_attempts_are_the_least_that_suffice(epsilon: float, family: int) -> None:
    n = evidence.attempts_for_upper(epsilon, 0.05, family)
    assert evidence.zero_success_upper(n, 0.05, family) <= epsilon
    assert n == 1 or evidence.zero_success_upper(n - 1, 0.05, family) > epsilon


@given(n=st.integers(1, 40), family=st.integers(1, 40))
def test_attempts_survive_rounding_at_the_bound_itself(n: int, family: int) -> None:
    assert evidence.attempts_for_upper(float(evidence.zero_success_upper(n, 0.05, family)), 0.05, family) == n


def test_nothing_observed_bounds_nothing() -> None:
    assert evidence.zero_success_upper(0, 0.05, 1) == 1


@pytest.mark.parametrize(
    ("epsilon", "alpha", "family"), [(0.0, 0.05, 1), (1.0, 0.05, 1), (0.1, 0.0, 1), (0.1, 0.05, 0)]
)
def test_impossible_questions_are_refused(epsilon: float, alpha: float, family: int) -> None:
    with pytest.raises(InputError):
        evidence.attempts_for_upper(epsilon, alpha, family)


@given(q=st.floats(0.51, 0.99), r=st.floats(0, 1))
def test_failed_components_by_bayes(q: float, r: float) -> None:
    joint = {(y, z): (q if y else 1 - q) * (r if z else 1 - r) for y, z in product((0, 1), repeat=2)}
    failed = 1 - joint[1, 1]
    found = float(branches.component_right_given_failure(q, r))
    assert found == pytest.approx(joint[1, 0] / failed, abs=1e-9)
    if abs(r - branches.inversion_threshold(q)) > 1e-9:
        assert (found < 0.5) == (r > branches.inversion_threshold(q))


def test_a_failure_that_cannot_be_has_no_components() -> None:
    assert np.isnan(branches.component_right_given_failure(1, 1))


@given(q=st.floats(0.05, 0.95), rho=st.floats(0, 1), m=st.integers(1, 9))
def test_ensemble_variance_sums_the_covariances(q: float, rho: float, m: int) -> None:
    one = q * (1 - q)
    matrix = np.full((m, m), rho * one) + np.diag(np.full(m, (1 - rho) * one))
    assert branches.ensemble_variance(q, m, rho) == pytest.approx(matrix.sum() / m**2, abs=1e-12)
    assert branches.ensemble_variance(q, m, rho) == pytest.approx(one / branches.effective_views(m, rho), abs=1e-12)
