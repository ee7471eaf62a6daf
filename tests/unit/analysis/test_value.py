"""Identities of value, against simulation-free brute force over joint distributions."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from analysis import value
from analysis.errors import InputError

RATE = st.floats(0, 1)
DECISIONS = st.lists(
    st.tuples(st.floats(-1, 1), st.integers(0, 5), st.floats(0.1, 3)), min_size=1, max_size=20
)  # fmt: skip


@given(q=RATE, p=RATE, tau=RATE, phi=RATE)
def test_gain_is_the_mean_change_over_all_outcomes(q: float, p: float, tau: float, phi: float) -> None:
    change = 0.0
    for continued, restarted, alarm in np.ndindex(2, 2, 2):
        rate = phi if continued else tau
        chance = (q if continued else 1 - q) * (p if restarted else 1 - p) * (rate if alarm else 1 - rate)
        change += chance * alarm * (restarted - continued)
    assert value.gain(q, p, tau, phi) == pytest.approx(change, abs=1e-12)
    assert value.gain(q, p, tau, phi) <= value.ceiling(q, p) + 1e-12
    assert value.gain(q, p, 1, 0) == pytest.approx(value.ceiling(q, p), abs=1e-15)


@given(q=RATE, p=RATE, tau=RATE, phi=RATE)
def test_the_sign_of_a_gain_changes_at_the_break_even(q: float, p: float, tau: float, phi: float) -> None:
    even = value.break_even(q, tau, phi)
    if np.isnan(even):
        assert value.gain(q, p, tau, phi) == 0
    else:
        assert value.gain(q, even, tau, phi) == pytest.approx(0, abs=1e-12)
        if abs(p - even) > 1e-9:
            raised = (1 - q) * tau + q * phi
            assert value.gain(q, p, tau, phi) == pytest.approx(raised * (p - even), abs=1e-12)


@given(q=RATE, p=RATE)
def test_clairvoyance_beats_the_better_constant_action(q: float, p: float) -> None:
    assert value.clairvoyant_extra(q, p) == pytest.approx(value.ceiling(q, p) - max(p - q, 0), abs=1e-12)
    assert value.clairvoyant_extra(q, p) >= 0


@given(p=RATE)
def test_no_randomisation_beats_the_aliasing_regret(p: float) -> None:
    chances = np.linspace(0, 1, 501)
    worst = np.maximum(1 - chances, p * chances)
    assert worst.min() >= value.aliasing_regret(p) - 1e-12
    best = float(value.aliasing_policy(p))
    assert max(1 - best, p * best) == pytest.approx(float(value.aliasing_regret(p)), abs=1e-12)


def test_an_alarm_that_is_never_raised_has_no_break_even() -> None:
    assert np.isnan(value.break_even(0.5, 0.0, 0.0))
    assert np.isnan(value.break_even([1.0, 0.0], 1.0, 0.0)).tolist() == [True, False]


@given(rows=DECISIONS)
def test_information_loss_is_equation_13_and_not_negative(rows: list[tuple[float, int, float]]) -> None:
    """Z tells all decisions apart, G is a key of six values: V(Z) - V(G) = (E|D| - E|E[D|G]|)/2."""
    d, key, weight = (np.array(column) for column in zip(*rows, strict=True))
    share = weight / weight.sum()
    coarse = sum(abs(float((share * d)[key == g].sum())) for g in set(key.tolist()))
    expected = (float((share * np.abs(d)).sum()) - coarse) / 2
    found = value.information_loss(d, range(len(d)), key.tolist(), weight)
    assert found == pytest.approx(expected, abs=1e-12)
    assert found >= -1e-12
    assert value.information_loss(d, key.tolist(), [None] * len(d), weight) >= -1e-12
    assert value.information_loss(d, key.tolist(), key.tolist(), weight, cost=0.25) == -0.25


def test_a_coarser_key_that_keeps_the_action_loses_nothing() -> None:
    d = [0.5, 0.1, -0.2, -0.7]
    assert value.information_loss(d, "abcd", [x > 0 for x in d]) == pytest.approx(0, abs=1e-15)
    assert value.information_loss(d, "abcd", "xyxy") == pytest.approx((0.375 - 0.225) / 2)


def test_a_key_that_is_not_coarser_is_refused() -> None:
    with pytest.raises(InputError, match="'a' has both"):
        value.information_loss([1, -1], "aa", "xy")


@given(rows=DECISIONS)
def test_regret_is_what_the_better_action_gains(rows: list[tuple[float, int, float]]) -> None:
    delta, kinds, weight = (np.array(column) for column in zip(*rows, strict=True))
    restart = kinds > 2
    taken = np.where(restart, 0.0, delta)  # value of the action, restart being worth 0
    best = np.maximum(delta, 0)
    expected = float((weight * (best - taken)).sum() / weight.sum())
    assert value.decision_regret(delta, restart, weight) == pytest.approx(expected, abs=1e-12)


def test_regret_weighs_errors_by_their_advantage() -> None:
    assert value.decision_regret([0.01, 0.01, 0.9], [True, True, False]) == pytest.approx(0.02 / 3)
    assert value.decision_regret([0.01, 0.01, 0.9], [False, False, True]) == pytest.approx(0.3)


def test_paired_gain_takes_outcomes_of_the_very_action() -> None:
    assert value.paired_gain([1, 1, 0, 1], [1, 0, 1, 1], [0, 1, 0, 1]) == 0
    assert value.paired_gain([1, 0], [1, 0], [0, 1]) == 0.5


def test_impossible_numbers_are_refused() -> None:
    with pytest.raises(InputError, match=r"--q: 1.5 is not a probability"):
        value.gain(1.5, 0.1, 0.1, 0.1)
    with pytest.raises(InputError, match="weights"):
        value.decision_regret([1.0], [True], [0.0])
    with pytest.raises(InputError, match="2 keys for 1"):
        value.key_value([1.0], "ab")
