"""What goes into the store and comes out of it: plain frozen records, checked where they are made."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from harness.errors import InputError, RestartlabError

EVENTS = ("verified", "terminal", "censored")
ORIGINS = ("collected", "synthetic", "imported", "reconstructed")

#: Reasons and exclusions are words, so that no prompt, path or output can reach an exported event table by them.
_WORD = re.compile(r"[A-Za-z][A-Za-z0-9_.-]{0,79}")
_DIGEST = re.compile(r"[0-9a-f]{64}")


class StoreConflict(RestartlabError):
    """The store refused a write that would overwrite or double a fact; nothing was written."""


class StageConflict(InputError):
    """The database holds attempts of a stage under another digest.

    Args:
        stage: the stage's name.
        recorded: the digest under which attempts are held.
        given: the digest that was asked for.
        recorded_protocol: what the stage was when those attempts were planned; compare to name the changed keys.
    """

    def __init__(self, stage: str, *, recorded: str, given: str, recorded_protocol: Any):
        self.stage, self.recorded, self.given = stage, recorded, given
        self.recorded_protocol = recorded_protocol
        super().__init__(
            f"the database holds attempts of stage {stage} under digest {recorded}, not {given}",
            file="database",
            key=stage,
            mend="restore the protocol and its tasks as they were, or give the changed one a new stage name",
        )


@dataclass(frozen=True)
class Attempt:
    """One planned attempt; ``id`` hashes stage digest, task, runtime, arm and repeat."""

    id: str
    stage: str
    digest: str
    task: str
    runtime: str
    arm: str
    repeat: int
    horizon: int
    origin: str

    @property
    def seed(self) -> int:
        """The first 64 bits of the id: the same on every machine and in every try."""
        return int(self.id[:16], 16)

    def __post_init__(self) -> None:
        _check(bool(_DIGEST.fullmatch(self.id)), "id", self.id, "64 hex digits")
        _check(self.origin in ORIGINS, "origin", self.origin, " | ".join(ORIGINS))
        _check(self.repeat >= 1, "repeat", self.repeat, "1 or more")
        _check(self.horizon >= 1, "horizon", self.horizon, "1 call or more")


@dataclass(frozen=True)
class ActionRecord:
    """One executed action and what the verifier said after it.

    The command's text is in the trajectory blob; here stands its SHA-256. ``seconds`` and ``verdict_seconds`` are
    wall time; ``returncode`` is None when the command was cut off; ``flags`` holds what else was noted (timed out,
    output truncated, limit fired).
    """

    call: int
    action: int
    command: str
    returncode: int | None
    seconds: float
    layer_digest: str | None = None
    verdict_key: str | None = None
    verdict_state: str | None = None
    verdict_seconds: float | None = None
    cached: bool = False
    flags: Mapping[str, Any] = field(default_factory=dict)

    def __post_init__(self) -> None:
        _check(self.call >= 1, "call", self.call, "1 or more")
        _check(self.action >= 0, "action", self.action, "0 or more")
        _check(bool(_DIGEST.fullmatch(self.command)), "command", self.command, "the SHA-256 of the command")
        _check_amount("seconds", self.seconds)
        _check_amount("verdict_seconds", self.verdict_seconds)


@dataclass(frozen=True)
class TryResult:
    """How a try ended.

    Args:
        event: verified, terminal or censored.
        call: the model call of the event (T, E or H); 0 when no call finished.
        calls: model calls made in all; more than ``call`` only when the try went on after its pass.
        wall_s: wall time in seconds; None when the controller died and nobody knows.
        action: index within the call of the action that passed (verified only).
        reason: one word, such as the exception's name or the limit that fired.
        cost_usd: US dollars; None when unknown, never 0 for that.
        unpassed_at, repassed_at: later calls at which a passed workspace failed and passed again.
        trajectory: digest of the trajectory blob.
        outcome: known only at the end (model id returned, limit fired, tokens, an error's text); never exported.
        actions: every executed action, in order.
        findings: of the tamper audit.
    """

    event: str
    call: int
    calls: int
    wall_s: float | None
    action: int | None = None
    reason: str | None = None
    cost_usd: float | None = None
    unpassed_at: int | None = None
    repassed_at: int | None = None
    trajectory: str | None = None
    outcome: Mapping[str, Any] = field(default_factory=dict)
    actions: tuple[ActionRecord, ...] = ()
    findings: tuple[Mapping[str, Any], ...] = ()

    def __post_init__(self) -> None:
        _check(self.event in EVENTS, "event", self.event, " | ".join(EVENTS))
        _check(0 <= self.call <= self.calls, "call", self.call, f"between 0 and calls={self.calls}")
        if self.event == "verified":
            _check(self.call >= 1, "call", self.call, "1 or more for a verified event")
            _check(self.action is not None, "action", self.action, "an index for a verified event")
        if self.repassed_at is not None:
            _check(self.unpassed_at is not None, "unpassed_at", self.unpassed_at, "a call before repassed_at")
        _check(self.reason is None or is_word(self.reason), "reason", self.reason, "one word")
        digest_ok = self.trajectory is None or _DIGEST.fullmatch(self.trajectory) is not None
        _check(digest_ok, "trajectory", self.trajectory, "the digest of a blob")
        _check_amount("wall_s", self.wall_s)
        _check_amount("cost_usd", self.cost_usd)


@dataclass(frozen=True)
class StageRecord:
    """A registered stage; ``protocol`` is the JSON it was registered with."""

    stage: str
    digest: str
    protocol: Any
    first_at: str


@dataclass(frozen=True)
class AttemptState:
    """An attempt without a valid try, and what became of the tries it has had."""

    attempt: Attempt
    excluded: int
    last_exclusion: str | None
    running: bool
    interrupted: int = 0
    """Of the excluded tries, those that whoever ran the collection stopped or killed."""


@dataclass(frozen=True)
class CellCount:
    """Counts of one (runtime, task, arm); dollars of all tries, excluded ones too, None when no cost is known."""

    runtime: str
    task: str
    arm: str
    planned: int
    running: int
    verified: int
    terminal: int
    censored: int
    excluded_tries: int
    cost_usd: float | None
    unknown_costs: int

    @property
    def finished(self) -> int:
        """Attempts with a valid try."""
        return self.verified + self.terminal + self.censored


@dataclass(frozen=True)
class Qualification:
    """The newest gate record of a task under (task digest, Python, base digest, sandbox)."""

    task: str
    task_digest: str
    python: str
    base_digest: str
    sandbox: str
    qualified: bool
    record: Any
    at: str


@dataclass(frozen=True)
class TryView:
    """A try as stored (column name to value), its actions in order, its audit findings."""

    facts: Mapping[str, Any]
    actions: tuple[ActionRecord, ...]
    findings: tuple[Any, ...]


@dataclass(frozen=True)
class AttemptView:
    """All that the database knows of one attempt."""

    attempt: Attempt
    tries: tuple[TryView, ...]


def is_word(text: str) -> bool:
    """Whether ``text`` may stand as a reason or an exclusion."""
    return _WORD.fullmatch(text) is not None


def _check(holds: bool, name: str, value: object, wanted: str) -> None:
    if not holds:
        raise ValueError(f"{name} is {value!r}; wanted: {wanted}")


def _check_amount(name: str, value: float | None) -> None:
    _check(value is None or (math.isfinite(value) and value >= 0), name, value, "a finite number, 0 or more")
