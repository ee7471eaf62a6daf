"""Interventions of an arm: when its recovery action is applied (the action itself is ``recovery.RecoveryAction``)."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field

from harness.protocol.base import Count, Name, Section

#: Protocol events that a trigger may wait for, by the reasons of terminal events.
Reason = Literal["repeated_format_error", "unverified_submission", "context_overflow", "refusal"]


class FormatErrors(Section):
    """After malformed replies in a row."""

    kind: Literal["format-errors"]
    """``format-errors``"""
    count: Count
    """Replies in a row; those before the last action do not count."""


class FixedCall(Section):
    """At a fixed call."""

    kind: Literal["call"]
    """``call``"""
    call: Count
    """Applied after this model call of the attempt, if it is live."""


class ProtocolEvent(Section):
    """In place of an end."""

    kind: Literal["event"]
    """``event``"""
    reasons: Annotated[list[Reason], Field(min_length=1)]
    """Reasons of terminal events: the attempt does not end there, the action is applied instead."""


class Alarm(Section):
    """On a monitor's alarm."""

    kind: Literal["alarm"]
    """``alarm``"""
    monitor: Name
    """Name of the monitor."""
    threshold: float
    """The alarm is raised when the monitor's score reaches it."""
    params: dict[str, str | int | float | bool] = Field(default_factory=dict)
    """Parameters of the monitor."""
    shadow: Literal[True] | None = None
    """``true``: the monitor only watches. Nothing is done at an alarm, and its questions cost money but no calls."""


Trigger = Annotated[FormatErrors | FixedCall | ProtocolEvent | Alarm, Field(discriminator="kind")]
