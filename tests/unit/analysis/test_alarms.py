"""A monitor in decision terms: brute force per attempt, identities of the value, and tables of alarms."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from made_cells import attempts, cell, golden_cells

from analysis import value
from analysis.alarm_table import Readings, read_alarms
from analysis.alarms import AlarmValue, alarm_values
from analysis.cells import CENSORED, VERIFIED, Cell
from analysis.errors import InputError
from analysis.opportunity import opportunities

H = 12


def flags(cells: list[Cell], raised: list[bool], call: int = 1) -> Readings:
    """One reading of every attempt after a call."""
    count = sum(one.n for one in cells)
    flag = np.array(raised[:count], dtype=np.int8)
    return Readings(np.arange(count), np.full(count, call), np.full(count, np.nan), flag)


def one_value(cells: list[Cell], readings: Readings, t: int, **more: float) -> AlarmValue:
    (row,) = alarm_values(cells, readings, budget=H, times=[t], **more)  # type: ignore[arg-type]
    return row


@given(
    table=st.lists(attempts(H, 6).filter(bool), min_size=1, max_size=4),
    t=st.integers(1, H - 3),
    raised=st.lists(st.booleans(), min_size=24, max_size=24),
    calls=st.integers(0, 2),
    kappa=st.sampled_from([0.0, 0.03]),
)
def test_realised_utility_attempt_by_attempt(
    table: list[list[tuple[int, int]]], t: int, raised: list[bool], calls: int, kappa: float
) -> None:
    cells = [cell(rows, horizon=H, task=str(i)) for i, rows in enumerate(table)]
    found = one_value(cells, flags(cells, raised), t, monitoring_calls=calls, kappa=kappa, replicates=20)
    gain = net = perfect = 0.0
    at = iter(raised)
    for rows in table:
        share = 1 / len(rows) / len(table)
        p = sum(e == VERIFIED and c <= H - t for e, c in rows) / len(rows)
        charged_p = sum(e == VERIFIED and c <= H - t - calls for e, c in rows) / len(rows)
        for e, c in rows:
            alarm = next(at)
            if e != CENSORED and c <= t:
                continue
            y, charged_y = e == VERIFIED and c <= H, e == VERIFIED and c <= H - calls
            gain += share * alarm * (p - y)
            net += share * ((charged_p if alarm else charged_y) - y - kappa)
            perfect += share * (1 - y) * p
    assert found.gain.value == pytest.approx(gain, abs=1e-12)
    assert found.net_gain.value == pytest.approx(net, abs=1e-12)
    assert found.ceiling.value == pytest.approx(perfect, abs=1e-12)
    assert found.regret.value == pytest.approx(perfect - net, abs=1e-12)
    assert gain <= perfect + 1e-12
    assert all(loss.value is not None and loss.value >= -1e-12 for loss in found.information_lost.values())


@given(rows=attempts(H, 8), raised=st.lists(st.booleans(), min_size=8, max_size=8), t=st.integers(1, H - 1))
def test_one_task_obeys_the_alarm_identity(rows: list[tuple[int, int]], raised: list[bool], t: int) -> None:
    """Equation 8 times the share of attempts that are live, with the table's own q, p, tau and phi."""
    found = one_value([cell(rows, horizon=H)], flags([cell(rows, horizon=H)], raised), t)
    if found.continuation.value is None:
        return
    assert found.restartability.value is not None
    tau, phi = found.tau.value or 0.0, found.phi.value or 0.0
    identity = value.gain(found.continuation.value, found.restartability.value, tau, phi) * found.live / len(rows)
    assert found.gain.value == pytest.approx(float(identity), abs=1e-12)


def test_a_perfect_alarm_reaches_the_ceiling_and_a_reversed_one_does_not() -> None:
    cells = golden_cells("pilot30")
    fails = np.concatenate([(one.event != VERIFIED) | (one.call > 30) for one in cells])
    for raised, perfect in ((fails, True), (~fails, False)):
        found = alarm_values(cells, flags(cells, raised.tolist()), budget=30, times=[8, 16])
        for row in found:
            assert row.tau.value == (1.0 if perfect else 0.0)
            assert (row.gain.value == pytest.approx(row.ceiling.value)) == perfect or row.ceiling.value == 0
            if perfect:
                assert row.regret.value == pytest.approx(0, abs=1e-12)


def test_opportunity_agrees_with_the_audits_summary() -> None:
    cells = golden_cells("pilot30", "stress30")
    found = alarm_values(cells, flags(cells, [False] * 95), budget=30, times=[8, 16])
    summary = opportunities(cells, 30, [8, 16])
    assert [(row.cohort, row.t) for row in found] == [(row.cohort, row.t) for row in summary]
    for row, seen in zip(found, summary, strict=True):
        assert row.ceiling.value == pytest.approx(seen.perfect_alarm, abs=1e-12)
        assert row.task_oracle.value == pytest.approx(seen.task_oracle, abs=1e-12)
        assert row.gain.value == row.net_gain.value == 0


@given(
    table=st.lists(attempts(H, 6).filter(bool), min_size=1, max_size=3),
    scores=st.lists(st.integers(0, 4), min_size=18, max_size=18),
)
def test_auroc_counts_pairs(table: list[list[tuple[int, int]]], scores: list[int]) -> None:
    cells = [cell(rows, horizon=H, task=str(i)) for i, rows in enumerate(table)]
    count = sum(one.n for one in cells)
    readings = Readings(
        np.arange(count), np.ones(count, np.int64), np.array(scores[:count], float), np.full(count, -1, np.int8)
    )
    found = one_value(cells, readings, 1)
    flat = [(e, c, 1 / len(rows), s) for (e, c, rows), s in
            zip([(e, c, rows) for rows in table for e, c in rows], scores, strict=False)]  # fmt: skip
    live = [(e == VERIFIED and c <= H, w, s) for e, c, w, s in flat if e == CENSORED or c > 1]
    won = weight = 0.0
    for y, w, s in live:
        for other_y, other_w, other_s in live:
            if not y and other_y:
                weight += w * other_w
                won += w * other_w * ((s > other_s) + 0.5 * (s == other_s))
    assert found.auroc.value == (pytest.approx(won / weight, abs=1e-12) if weight else None)
    judged = not live  # scores without a threshold say nothing about alarms
    assert (found.gain.value is not None) == judged
    flagged = one_value(cells, readings.at_threshold(3), 1)
    assert flagged.gain.value is not None
    assert flagged.auroc == found.auroc


def test_the_latest_reading_decides_and_later_ones_are_not_seen() -> None:
    one = cell([(VERIFIED, 1), (VERIFIED, 2), (CENSORED, H), (CENSORED, H)], horizon=H)
    readings = Readings(
        np.array([2, 2, 2, 3]), np.array([2, 5, 9, 9]), np.full(4, np.nan), np.array([0, 1, 0, 1], np.int8)
    )
    assert one_value([one], readings, 4).tau.value == 0
    at_six = one_value([one], readings, 6)
    assert (at_six.tau.value, at_six.unread) == (0.5, 1)
    assert one_value([one], readings, 10).tau.value == 0.5


def test_tasks_are_what_the_bootstrap_draws() -> None:
    """Two tasks, one with tau 0 and one with tau 1: half of the replicates hold both, so the interval is all of it."""
    two = [cell([(CENSORED, H), (VERIFIED, 2)], horizon=H, task=name) for name in "ab"]
    found = one_value(two, flags(two, [False, False, True, False]), 4, replicates=500)
    assert tuple(found.tau) == (0.5, 0.0, 1.0)
    assert found == one_value(two, flags(two, [False, False, True, False]), 4, replicates=500)
    alone = one_value(two[:1], flags(two[:1], [True, False]), 4)
    assert tuple(alone.tau) == (1.0, None, None)
    assert tuple(alone.phi) == tuple(alone.auroc) == (None, None, None)


def test_a_coarser_key_loses_what_the_other_half_decides() -> None:
    """The alarm is right on one task and its reverse on the other, so it is worthless without the task's name."""
    quick = [(VERIFIED, 1)] * 4
    cells = [
        cell([*quick, (CENSORED, H), (CENSORED, H), (VERIFIED, H), (VERIFIED, H)], horizon=H, task=name)
        for name in "ab"
    ]
    right = [False] * 4 + [True, True, False, False]
    reverse = [False] * 4 + [False, False, True, True]
    found = one_value(cells, flags(cells, [*right, *reverse]), 4)
    assert found.information_lost["alarm"].value == pytest.approx(0.5 * 0.5 * 0.5)
    assert found.information_lost["task"].value == pytest.approx(0.5 * 0.5 * 0.5)
    assert found.gain.value == pytest.approx(0.0)


@pytest.mark.parametrize(
    "change", [{"monitoring_calls": -1}, {"kappa": -0.1}, {"times": [12]}, {"monitoring_calls": 8}]
)
def test_impossible_monitors_are_refused(change: dict[str, object]) -> None:
    cells = [cell([(CENSORED, H)], horizon=H)]
    with pytest.raises(InputError):
        alarm_values(cells, flags(cells, [True]), **{"budget": H, "times": [4], **change})  # type: ignore[arg-type]


def written(folder: Path, text: str) -> Path:
    file = folder / "alarms.csv"
    file.write_bytes(text.encode())
    return file


def test_tables_of_alarms_are_matched_to_attempts(tmp_path: Path) -> None:
    cells = [cell([(CENSORED, H)] * 2, horizon=H, task="x"), cell([(CENSORED, H)], horizon=H, task="y")]
    text = "\ufefftask,repeat,call,score,flag,note\r\ny,1,5,0.5,,late\r\nx,2,4,,yes,\r\ny,1,3,-1e2,0,\r\nx,9,1,,1,\r\n"
    found = read_alarms(written(tmp_path, text), cells)
    assert found.attempt.tolist() == [1, 2, 2]
    assert found.call.tolist() == [4, 3, 5]
    assert found.flag.tolist() == [1, 0, -1]
    assert found.score[1:].tolist() == [-100, 0.5]
    assert found.unmatched == 1
    assert found.at_threshold(0.5).flag.tolist() == [1, 0, 1]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("task,call,flag\n", "row 1: has no column repeat"),
        ("task,repeat,call\n", "neither a column score nor flag"),
        ("task,repeat,call,flag\nx,1,2,maybe\n", r"row 2, column flag: 'maybe' is not a flag"),
        ("task,repeat,call,score\nx,1,2,nan\n", r"row 2, column score: 'nan' is not a finite number"),
        ("task,repeat,call,score\nx,1,2,\n", "row 2: says neither"),
        ("task,repeat,call,score\nx,1,2.5,1\n", r"row 2, column call: '2.5' is not a whole number"),
        ("task,repeat,call,score\nx,one,2,1\n", r"row 2, column repeat: 'one'"),
        ("task,repeat,call,score\nz,1,2,1\n", r"row 2, column task: no attempts of task 'z'"),
        ("task,repeat,call,score\nx,1,2,1\nx,2,2,1\nx,1,2,0\n", "row 4: a second reading .* as in row 2"),
        ("task,repeat,call,score\nx,7,2,1\n", "none of the 1 rows"),
        ("task,repeat,call,score\nx,1,2,1\xff\n", "not a finite number"),
    ],
)
def test_bad_tables_are_refused_whole(tmp_path: Path, text: str, message: str) -> None:
    cells = [cell([(CENSORED, H)] * 2, horizon=H, task="x")]
    with pytest.raises(InputError, match=message) as refusal:
        read_alarms(written(tmp_path, text), cells)
    assert "alarms.csv" in str(refusal.value)


def test_names_may_be_left_out_only_where_they_are_clear(tmp_path: Path) -> None:
    cells = [cell([(CENSORED, H)], horizon=H, runtime=name) for name in "rs"]
    with pytest.raises(InputError, match=r"column runtime: names no runtime, and the event table has several"):
        read_alarms(written(tmp_path, "task,repeat,call,flag\none,1,2,1\n"), cells)
    text = "task,runtime,repeat,call,flag\none,s,1,2,1\none,elsewhere,1,2,1\n"
    found = read_alarms(written(tmp_path, text), cells)
    assert (found.attempt.tolist(), found.unmatched) == ([1], 1)


def test_a_file_that_is_not_there_or_no_text_is_refused(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="cannot be read"):
        read_alarms(tmp_path / "none.csv", [])
    file = tmp_path / "bytes.csv"
    file.write_bytes(b"task,repeat,call,flag\n\xff\xfe\n")
    with pytest.raises(InputError, match="not UTF-8"):
        read_alarms(file, [cell([(CENSORED, H)], horizon=H)])
