"""The ``checkpoint`` section of a stage file: which states are frozen, and what is drawn from each of them."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field

from harness.protocol.base import Count, Name, Section, StageName, Text
from harness.protocol.recovery import RecoveryAction

Scalar = str | int | float | bool
#: Why an attempt that never passed may have ended, as event tables say it.
Reason = Literal[
    "repeated_format_error", "unverified_submission", "context_overflow", "refusal", "agent_stopped", "agent_error",
    "horizon", "cost_limit", "token_limit", "wall_limit",
]  # fmt: skip


class Source(Section):
    """Where the states come from."""

    stage: StageName
    """A stage of the same database, collected or re-executed (``reverify``)."""
    runtime: Text | None = None
    """States of this runtime go to every runtime; null: each runtime goes on from states of its own."""
    arm: Text | None = None
    """Only attempts of this arm; null: of all."""


class EndOfFailed(Section):
    """The last state of an attempt that never passed."""

    rule: Literal["end-of-failed"]
    """``end-of-failed``"""
    reasons: Annotated[list[Reason], Field(min_length=1)] | None = None
    """Only attempts that ended for one of these reasons, e.g. repeated_format_error; null: any."""


class LiveAt(Section):
    """The state of an attempt that is live after a call: neither passed nor ended."""

    rule: Literal["live-at"]
    """``live-at``"""
    call: Count
    """After which call."""


class OnAlarm(Section):
    """The state of a live attempt after the call at which a monitor first raises its alarm."""

    rule: Literal["on-alarm"]
    """``on-alarm``"""
    monitor: Name
    """A monitor that comes with the project, or the name of an entry point of ``restartlab.monitors``."""
    params: dict[Name, Scalar] = Field(default_factory=dict)
    """Its parameters."""
    threshold: float
    """Scores from here on are alarms."""


Select = Annotated[EndOfFailed | LiveAt | OnAlarm, Field(discriminator="rule")]


class Compare(Section):
    """The decision that the audit is about."""

    restart: Name
    """The action on one side; its success is p."""
    continue_: Annotated[Name, Field(alias="continue")]
    """The action on the other side; its success is q."""


class CheckpointPlan(Section):
    """How a checkpoint stage chooses its states, and what it draws from them (``repeats`` times each)."""

    source: Source
    """Whose states."""
    select: Select
    """The rule that chooses them; applied once, before anything is drawn from them."""
    most_per_task: Count
    """States of one task and runtime; the lowest repeats are taken."""
    budget: Count | None = None
    """Calls of attempt and episode together: an episode from call t has budget - t, at most the horizon; null: the
    horizon each."""
    actions: Annotated[list[RecoveryAction], Field(min_length=1)]
    """The recovery actions; the stage's arms are their names."""
    compare: Compare | None = None
    """What the audit compares; null: nothing, the stage has outcomes only."""
