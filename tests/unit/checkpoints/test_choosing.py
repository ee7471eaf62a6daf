"""Which call of an attempt each frozen rule takes."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from harness.checkpoints.choosing import chosen_call
from harness.protocol.checkpoint import EndOfFailed, LiveAt, OnAlarm
from harness.store.records import Attempt
from harness.store.regrades import RecordedTry, RegradedEvent


def ended(event: str, call: int, reason: str | None = None) -> RecordedTry:
    attempt = Attempt("a" * 64, "tiny", "b" * 64, "tiny-1", "scripted", "baseline", 1, 20, "synthetic")
    outcome = RegradedEvent(event, call, 0 if event == "verified" else None, reason)
    return RecordedTry(1, 1, attempt, outcome, call, 0.0, "c" * 64, "d" * 64, "e" * 64, ())


def unread() -> Iterator[Any]:
    raise AssertionError("this rule does not look into the trajectory")


PASSED, CAPPED = ended("verified", 7), ended("censored", 20, "horizon")
BROKEN = ended("terminal", 7, "repeated_format_error")


@pytest.mark.parametrize(
    "rule, taken",
    [
        (EndOfFailed(rule="end-of-failed"), (None, 20, 7)),
        (EndOfFailed(rule="end-of-failed", reasons=["repeated_format_error"]), (None, None, 7)),
        (LiveAt(rule="live-at", call=6), (6, 6, 6)),
        (LiveAt(rule="live-at", call=7), (None, 7, None)),  # an attempt that ends at a call is not live after it
        (LiveAt(rule="live-at", call=20), (None, None, None)),
    ],
)
def test_rules_that_need_the_event_only(rule: Any, taken: tuple[int | None, ...]) -> None:
    assert tuple(chosen_call(rule, one, unread) for one in (PASSED, CAPPED, BROKEN)) == taken


def lines(calls: int) -> Iterator[dict[str, Any]]:
    yield {"type": "start", "task": "tiny-1", "horizon": 20}
    for call in range(1, calls + 1):
        yield {"type": "call", "call": call, "parsed": True, "cost_usd": 0.0}


@pytest.mark.parametrize(
    "one, threshold, taken", [(CAPPED, 5.0, 5), (BROKEN, 5.0, 5), (BROKEN, 6.0, 6), (BROKEN, 7.0, None)]
)
def test_the_first_alarm_of_a_live_attempt(one: RecordedTry, threshold: float, taken: int | None) -> None:
    rule = OnAlarm(rule="on-alarm", monitor="fixed-time", threshold=threshold)
    assert chosen_call(rule, one, lambda: lines(one.calls)) == taken
