"""Completion curves, their refusals, and the Aalen-Johansen estimate against its definition."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from made_cells import attempts, cell

from analysis.cells import CENSORED, TERMINAL, VERIFIED, Cell
from analysis.completion import (
    completion_curve,
    continuation,
    event_counts,
    hazard,
    macro_completion,
    restart_curve,
    solved_by,
    task_curves,
)
from analysis.errors import NotIdentified

CELLS = attempts(12, 8).filter(bool).map(lambda rows: cell(rows, horizon=12))


@given(CELLS)
def test_definitions(one: Cell) -> None:
    """F, λ and C by counting attempts."""
    curve = completion_curve(one)
    rates = hazard(curve)
    assert len(curve) == len(rates) == 13 and math.isnan(rates[0])
    for call in range(1, 13):
        assert curve[call] == pytest.approx((one.first_pass <= call).mean(), abs=1e-12)
        at_risk = int((one.first_pass >= call).sum())
        if at_risk:
            assert rates[call] == pytest.approx((one.first_pass == call).sum() / at_risk, abs=1e-12)
        else:
            assert math.isnan(rates[call])
    for t in range(12):
        product = 1 - np.prod(1 - rates[t + 1 : 13])
        got = continuation(curve, t, 12 - t)
        assert math.isnan(got) if curve[t] == 1 else math.isnan(product) or got == pytest.approx(product, abs=1e-12)


def test_restart_curve() -> None:
    curve = completion_curve(cell([(VERIFIED, 2), (VERIFIED, 5), (CENSORED, 30), (CENSORED, 30)]))
    assert restart_curve(curve, 5).tolist() == [0.5, 0.25, 0.25, 0.25, 0, 0]


def test_early_censoring_refuses_and_says_what_is_known() -> None:
    one = cell([(VERIFIED, 5), (VERIFIED, 20), (CENSORED, 12), (CENSORED, 30)])
    assert len(completion_curve(one)) == 13
    with pytest.raises(NotIdentified, match=r"F\(20\) is not identified") as refused:
        completion_curve(one, 20)
    assert refused.value.known == {
        "identified_through": 12,
        "F(12)": 0.25,
        "F(20) at least": 0.5,
        "F(20) at most": 0.75,
    }
    with pytest.raises(NotIdentified):
        macro_completion([one], 13)
    with pytest.raises(NotIdentified, match="horizon 30"):
        completion_curve(cell([(VERIFIED, 5)]), 31)


def test_counts() -> None:
    one = cell([(VERIFIED, 5), (VERIFIED, 25), (TERMINAL, 12), (CENSORED, 30)])
    assert solved_by([one, one], 24) == 2
    assert vars(event_counts([one])) == {"attempts": 4, "verified": 2, "terminal": 1, "censored": 1}
    assert vars(event_counts([one], after=12)) == {"attempts": 2, "verified": 1, "terminal": 0, "censored": 1}


def test_bands_are_exact_binomials() -> None:
    """F of one task resamples to Bin(5, F)/5."""
    one = cell([(VERIFIED, 4), (VERIFIED, 4), (CENSORED, 30), (CENSORED, 30), (CENSORED, 30)])
    curves = task_curves(one, 30, 30)
    # P(Bin(5, .4) = 0) = .078, P(<= 4) = .990, P(<= 3) = .913.
    assert curves.completion[:, 4].tolist() == pytest.approx([0.4, 0.0, 0.8])
    assert curves.completion[:, 3].tolist() == [0, 0, 0]
    assert curves.hazard[:, 4].tolist() == pytest.approx([0.4, 0.0, 0.8])
    assert curves.restart[:, 26].tolist() == pytest.approx([0.4, 0.0, 0.8])
    assert curves.continuation[0, 3] == pytest.approx(0.4) and curves.continuation[0, 4] == 0
    band = macro_completion([one, one])
    assert band.completion[4] == pytest.approx(0.4)
    assert band.intervals[4].seed is None
    # The mean of two tasks is Bin(10, .4)/10: P(<= 0) = .006, P(<= 1) = .046, P(<= 7) = .988.
    assert (band.intervals[4].low, band.intervals[4].high) == pytest.approx((0.1, 0.7))


@given(
    st.lists(st.tuples(st.sampled_from([VERIFIED, TERMINAL, CENSORED]), st.integers(1, 12)), min_size=1, max_size=15)
)
def test_aalen_johansen_by_definition(rows: list[tuple[int, int]]) -> None:
    """Σ S(u-) d_u / n_u with events before censoring at one call; F where nothing was censored early."""
    pytest.importorskip("lifelines")
    from analysis.incidence import aalen_johansen

    one = cell(rows, horizon=12)
    survival, incidence, expected = 1.0, 0.0, [0.0]
    for call in range(1, 13):
        at_risk = (one.call >= call).sum()
        if at_risk:
            incidence += survival * ((one.call == call) & (one.event == VERIFIED)).sum() / at_risk
            survival *= 1 - ((one.call == call) & (one.event != CENSORED)).sum() / at_risk
        expected.append(incidence)
    found = aalen_johansen(one)
    np.testing.assert_allclose(found.verified, expected, atol=1e-12)
    assert "Aalen-Johansen" in found.label
    if not ((one.event == CENSORED) & (one.call < 12)).any():
        np.testing.assert_allclose(found.verified, completion_curve(one), atol=1e-12)
