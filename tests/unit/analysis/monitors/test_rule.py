"""A rule that restarts once at its first alarm: its gain by hand, charged for monitoring, and its calibration."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from made_cells import attempts, cell

from analysis.alarm_table import Readings
from analysis.alarms import alarm_values
from analysis.arms import pool_of
from analysis.cells import CENSORED, VERIFIED, Cell
from analysis.monitors.calibration import calibrate, thresholds
from analysis.monitors.document import Choices, cohorts_document
from analysis.monitors.rule import rule_value
from analysis.monitors.watched import Watched

H = 12
Row = tuple[int, int, float, int]
"""attempt, call, score, questions so far"""


def watched(rows: Sequence[Row]) -> Watched:
    rows = sorted(rows)
    readings = Readings(
        np.array([row[0] for row in rows], dtype=np.int64), np.array([row[1] for row in rows], dtype=np.int64),
        np.array([row[2] for row in rows], dtype=np.float64), np.full(len(rows), -1, dtype=np.int8),
    )  # fmt: skip
    return Watched(readings, np.array([row[3] for row in rows], dtype=np.int64), len({row[0] for row in rows}))


def by_hand(cells: Sequence[Cell], rows: Sequence[Row], threshold: float, budget: int) -> float:
    """The gain, attempt by attempt, straight from its definition."""
    gains, start = [], 0
    for one in cells:
        change = []
        for i in range(one.n):
            t = int(one.call[i])
            mine = sorted(row for row in rows if row[0] == start + i and row[1] < t and row[1] + row[3] < budget)
            alarm = next((row for row in mine if row[2] >= threshold), None)
            passed = one.event[i] == VERIFIED and t <= budget
            if alarm is not None:
                left = budget - alarm[1] - alarm[3]
                after = sum(e == VERIFIED and c <= left for e, c in zip(one.event, one.call, strict=True)) / one.n
            else:
                asked = mine[-1][3] if mine else 0
                after = float(one.event[i] == VERIFIED and t + asked <= budget)
            change.append(after - passed)
        gains.append(sum(change) / one.n)
        start += one.n
    return sum(gains) / len(gains)


_SCORES = st.lists(st.sampled_from([0.0, 1.0, 2.0, 3.0]), min_size=H - 1, max_size=H - 1)


def tables() -> st.SearchStrategy[tuple[list[Cell], list[Row]]]:
    """Cells of two tasks, each attempt read after every call, questions every k calls (0: none)."""

    def made(drawn: tuple[list[list[tuple[int, int]]], list[list[float]], int]) -> tuple[list[Cell], list[Row]]:
        some, scores, every = drawn
        cells = [cell(one, horizon=H, task=str(i)) for i, one in enumerate(some)]
        count = sum(one.n for one in cells)
        rows = [
            (i, call, scores[i][call - 1], call // every if every else 0) for i in range(count) for call in range(1, H)
        ]
        return cells, rows

    some = st.lists(attempts(H, 3).filter(bool), min_size=1, max_size=2)
    return st.tuples(some, st.lists(_SCORES, min_size=6, max_size=6), st.integers(0, 4)).map(made)


@given(table=tables(), threshold=st.sampled_from([0.5, 2.0, 3.0, np.inf]))
def test_the_gain_is_what_its_definition_says(table: tuple[list[Cell], list[Row]], threshold: float) -> None:
    cells, rows = table
    found = rule_value(pool_of(cells, H), watched(rows), threshold, H)
    assert found.macro_gain == pytest.approx(by_hand(cells, rows, threshold, H), abs=1e-12)
    assert found.macro_gain <= float(found.free_gain.mean()) + 1e-12 or np.any(found.asked > 0)


@given(table=tables())
def test_calibration_finds_the_largest_gain_and_of_equal_ones_the_highest(table: tuple[list[Cell], list[Row]]) -> None:
    cells, rows = table
    seen = watched(rows)
    found = calibrate(pool_of(cells, H), seen, H)
    gains = {threshold: by_hand(cells, rows, threshold, H) for threshold in thresholds(seen)}
    best = max(gains.values())
    if best <= 1e-9:
        assert (found.threshold, found.gain) == (np.inf, 0.0)
    else:
        assert found.gain == pytest.approx(best, abs=1e-9)
        assert found.threshold == max(t for t, gain in gains.items() if gain >= best - 1e-9)


#: One attempt passes at call 3, the other never; half of all fresh attempts pass within 3 calls or more.
PAIR = [(VERIFIED, 3), (CENSORED, H)]


@pytest.mark.parametrize(
    ("asked", "recovery", "kappa", "gain"),
    [
        (0, 0, 0.0, 0.25),
        (5, 0, 0.0, 0.25),  # 12 - 4 - 5 = 3 calls are left: enough
        (6, 0, 0.0, 0.0),  # 2 calls are left: the alarm has cost the whole gain
        (0, 6, 0.0, 0.0),  # the restart itself has
        (0, 0, 0.25, 0.0),  # what monitoring costs otherwise has
        (0, 0, 0.5, -0.25),
    ],
)  # fmt: skip
def test_an_alarm_that_costs_the_whole_gain_shows_a_gain_of_zero(
    asked: int, recovery: int, kappa: float, gain: float
) -> None:
    cells = [cell(PAIR, horizon=H)]
    seen = watched([(0, 1, 0.0, 0), (1, 1, 0.0, 0), (1, 4, 1.0, asked)])
    found = rule_value(pool_of(cells, H), seen, 1.0, H, kappa, recovery)
    assert found.macro_gain == gain
    assert float(found.free_gain.mean()) == (0.25 if recovery == 0 else 0.0)
    (document,) = cohorts_document(cells, seen, Choices(H, [4], 1.0, kappa, recovery, 100))
    assert document["rule"]["gain"]["value"] == gain
    # At a decision call half of the attempts are live, and only these are charged kappa.
    at_a_call = (0.25 if asked <= 5 else 0.0) - kappa / 2
    assert document["times"][0]["net_gain"]["value"] == pytest.approx(at_a_call)


def test_questions_can_cost_an_attempt_that_needs_no_alarm() -> None:
    cells = [cell([(VERIFIED, 9)], horizon=H)]
    for asked, gain in ((3, 0.0), (4, -1.0)):
        seen = watched([(0, call, 0.0, min(asked, call)) for call in range(1, 9)])
        assert rule_value(pool_of(cells, H), seen, 1.0, H).macro_gain == gain


def test_an_alarm_at_one_call_agrees_with_the_alarm_values() -> None:
    cells = [cell([(VERIFIED, 3), (VERIFIED, 8), (CENSORED, H), (CENSORED, H)], horizon=H)]
    raised = [0, 0, 1, 1]
    seen = watched([(i, 4, float(flag), 0) for i, flag in enumerate(raised)])
    flags = Readings(np.arange(4), np.full(4, 4), np.full(4, np.nan), np.array(raised, dtype=np.int8))
    (there,) = alarm_values(cells, flags, budget=H, times=[4])
    assert rule_value(pool_of(cells, H), seen, 1.0, H).macro_gain == pytest.approx(there.gain.value)
