"""When actions are applied."""

from __future__ import annotations

import pytest

from harness.monitors.prefix import Prefix, SeenCall
from harness.protocol import intervention
from harness.recovery.triggers import Charge, make_trigger


def prefix(*parsed: bool, first: int = 1) -> Prefix:
    return Prefix("t", 60, tuple(SeenCall(n, ok, "", 0.0) for n, ok in enumerate(parsed, first)))


def test_format_errors_count_in_a_row_up_to_the_last_call() -> None:
    trigger = make_trigger(intervention.FormatErrors(kind="format-errors", count=3))
    assert trigger.observe(prefix(True, False, False, False), "repeated_format_error")
    assert trigger.observe(prefix(False, False, False), None)
    assert not trigger.observe(prefix(False, False, False, True), None)
    assert not trigger.observe(prefix(False, False), None)
    assert trigger.charge() == Charge()


def test_a_fixed_call_is_of_live_attempts() -> None:
    trigger = make_trigger(intervention.FixedCall(kind="call", call=4))
    assert trigger.observe(prefix(True, True, first=3), None)
    assert not trigger.observe(prefix(True, True, first=3), "unverified_submission")
    assert not trigger.observe(prefix(True), None)


@pytest.mark.parametrize(("event", "acts"), [("context_overflow", True), ("refusal", False), (None, False)])
def test_events_are_those_that_are_named(event: str | None, acts: bool) -> None:
    plan = intervention.ProtocolEvent(kind="event", reasons=["context_overflow", "unverified_submission"])
    assert make_trigger(plan).observe(prefix(True), event) is acts
