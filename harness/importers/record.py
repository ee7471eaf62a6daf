"""The neutral record of somebody else's attempt: what was called, done and seen, whatever the format."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal

from harness.errors import InputError

#: ``fresh``: every action has a shell of its own; ``session``: folder and variables last from action to action.
Shell = Literal["fresh", "session"]


@dataclass(frozen=True)
class Observation:
    """What the agent was shown of one action, as far as the format keeps it."""

    returncode: int | None = None
    output: str | None = None
    """All of it; None when it was not kept, or was cut (then head and tail)."""
    head: str = ""
    tail: str = ""
    elided: int = 0
    """Characters left out between head and tail."""
    timed_out: bool = False
    submission: bool = False
    """The output lacks its first line, the sentinel: the agent submitted by this action."""


@dataclass(frozen=True)
class RecordedAction:
    """One action; ``command`` is None when it has no form that a shell can run."""

    command: str | None
    tool: str = "bash"
    observation: Observation | None = None


@dataclass(frozen=True)
class RecordedCall:
    """One model query."""

    actions: tuple[RecordedAction, ...] = ()
    parsed: bool = True
    """False: the reply was refused as malformed."""
    cost_usd: float | None = None
    at: float | None = None
    """Seconds since 1970, when the reply came."""
    text: str = ""
    """What the model said, for people."""


@dataclass(frozen=True)
class Record:
    """One recorded attempt."""

    source: str
    """Name of its file, without folders."""
    digest: str
    """SHA-256 of what it was read from; the same attempt is never taken twice."""
    format: str
    instance: str
    """Id of the task, or of the instance of a dataset."""
    agent: str
    model: str
    calls: tuple[RecordedCall, ...]
    exit_status: str
    """As the format has it; empty when unknown."""
    shell: Shell = "fresh"
    call_limit: int | None = None
    command_seconds: float = 60.0
    """Limit on one command in the recorded run."""
    cost_usd: float | None = None
    """Total, where the costs of calls are not kept."""
    passed: bool | None = None
    """The verdict that was recorded with it, where the format has one."""
    environment: Mapping[str, str] = field(default_factory=dict)
    """Variables that the recorded run set for its commands."""

    @property
    def total_usd(self) -> float | None:
        """US dollars in all; None when unknown."""
        costs = [call.cost_usd for call in self.calls]
        return self.cost_usd if None in costs else float(sum(cost for cost in costs if cost is not None))

    def cost_after(self, call: int) -> float | None:
        """US dollars of the calls after ``call``; None when one is unknown."""
        costs = [one.cost_usd for one in self.calls[call:]]
        return None if None in costs else float(sum(cost for cost in costs if cost is not None))


def malformed(source: str, what: str, key: str | None = None) -> InputError:
    """The error for a trajectory that cannot be read."""
    return InputError(what, file=source, key=key, mend="is the file whole, and written by the agent it names?")
