"""Recorded ends, attempts of records, published verdicts."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from recordings import mini_1

from harness.errors import InputError
from harness.importers.miniswe import read_miniswe
from harness.importers.record import Record
from harness.outcome import CENSORED, TERMINAL
from harness.reverify.ending import ending, horizon
from harness.reverify.job import Rules
from harness.reverify.planning import assign, tasks_of
from harness.reverify.verdicts import read_verdicts


def record(digest: str = "a", **changes: object) -> Record:
    return replace(read_miniswe(mini_1([("ls", 0, "")] * 3), "s.json", digest), **changes)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("status", "meaning"),
    [
        ("Submitted", "submitted"), ("submitted", "submitted"), ("submitted (exit_cost)", "cost_limit"),
        ("LimitsExceeded", "cost_limit"), ("TimeExceeded", "wall_limit"), ("exit_context", "context_overflow"),
        ("ContextWindowExceededError", "context_overflow"), ("exit_format", "RepeatedFormatError"),
        ("message_limit", "horizon"), ("AgentTimeoutError", "wall_limit"), ("RateLimitError", None), ("", None),
    ],
)  # fmt: skip
def test_ends(status: str, meaning: str | None) -> None:
    assert ending(record(exit_status=status)) == meaning
    assert meaning is None or meaning in TERMINAL | CENSORED


def test_a_limit_on_calls_is_the_horizon() -> None:
    assert ending(record(exit_status="LimitsExceeded", call_limit=3)) == "horizon"
    assert (horizon(record()), horizon(record(call_limit=None)), horizon(record(call_limit=2))) == (250, 3, 3)


def test_every_record_keeps_its_attempt() -> None:
    rules = Rules("s")
    first = assign({"t": [record("b"), record("c")]}, rules, [], [])
    assert [one.attempt.repeat for one in first] == [1, 2]
    held = [(first[1].attempt.id, {"source_digest": "c"})]
    planned = [one.attempt for one in first]
    again = assign({"t": [record("a"), record("b"), record("c")]}, rules, planned, held)
    assert [one.attempt.repeat for one in again] == [1, 3, 2]
    assert len({one.attempt.id for one in again}) == 3
    other = assign({"t": [record("a", model="x")]}, rules, planned, held)
    assert other[0].attempt.repeat == 1 and other[0].attempt.runtime != planned[0].runtime


def test_tasks_of_records() -> None:
    known = ["swebench-x__y-1", "tiny-1"]
    records = [record("a", instance="X__Y-1"), record("b"), record("c", instance="else")]
    by_task, skipped = tasks_of(records, known, [])
    assert {name: len(found) for name, found in by_task.items()} == {"swebench-x__y-1": 1, "tiny-1": 1}
    assert [one.damaged for one in skipped] == [True] and "'else'" in skipped[0].reason
    assert list(tasks_of(records, known, ["x__y-1"])[0]) == ["swebench-x__y-1"]
    with pytest.raises(InputError, match="unknown task 'nope'"):
        tasks_of(records, known, ["nope"])


def test_verdicts_of_others(tmp_path: Path) -> None:
    table, report = tmp_path / "v.csv", tmp_path / "v.json"
    table.write_text("instance_id,resolved\nA-1,true\nb-2,false\n")
    assert read_verdicts(table) == {"a-1": True, "b-2": False}
    report.write_text('{"resolved_ids": ["A-1"], "unresolved_ids": ["b-2"], "error_ids": []}')
    assert read_verdicts(report) == {"a-1": True, "b-2": False}
    table.write_text("instance_id,resolved\nA-1,maybe\n")
    with pytest.raises(InputError, match="row 2, column resolved: 'maybe'"):
        read_verdicts(table)
    table.write_text("x,y\n")
    with pytest.raises(InputError, match="holds no verdicts"):
        read_verdicts(table)
