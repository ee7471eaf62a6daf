"""The event of a try under other verdicts, by the rule that the live try went by."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

from harness.agents.submission import is_submission
from harness.outcome import CENSORED, TERMINAL, Progress, event_of
from harness.recorder import read_trajectory
from harness.store.regrades import RegradedEvent

#: Reason of a try that stopped at a pass which is none any more: what would have come after it was never seen.
STOPPED_EARLY = "stopped_early"
#: The status of a live try that stopped at its first pass.
_VERIFIED = "verified"
_STATUS_OF_REASON = {reason: status for status, reason in {**TERMINAL, **CENSORED}.items()}


@dataclass(frozen=True)
class Rules:
    """What the stage's protocol said of passes and submissions."""

    after_pass: str
    on_unverified_submit: str


@dataclass(frozen=True)
class Step:
    """One action's place and what the verifier says now."""

    call: int
    action: int
    passed: bool


@dataclass(frozen=True)
class Ending:
    """What a trajectory tells of a try's end: the agent loop's last status, and the actions that submitted."""

    status: str | None
    submissions: frozenset[tuple[int, int]]

    @classmethod
    def of(cls, trajectory: bytes) -> Ending:
        """Reads a trajectory."""
        status, submissions = None, set()
        for line in read_trajectory(trajectory):
            if line["type"] == "action":
                if is_submission(line["command"], line["returncode"]):
                    submissions.add((line["call"], line["action"]))
            elif line["type"] == "message" and line["message"].get("role") == "exit":
                status = (line["message"].get("extra") or {}).get("exit_status")
        return cls(status, frozenset(submissions))


def regraded_event(
    recorded: RegradedEvent, calls: int, before: Iterable[bool], steps: Sequence[Step], rules: Rules,
    ending: Callable[[], Ending],
) -> RegradedEvent:  # fmt: skip
    """The event that the try would have had, had the verifier said ``steps`` while it ran.

    Verdicts that all are as they were leave the recorded event as it is. A try that stopped at a pass which is none
    any more is censored at its last call, as ``stopped_early``.

    Args:
        recorded: the event on record; calls: model calls of the try.
        before: per step, whether the verifier passed it then.
        ending: reads the trajectory; called only when the verdicts changed.
    """
    if [step.passed for step in steps] == list(before):
        return recorded
    known, progress = ending(), Progress()
    for step in steps:
        progress.calls, progress.action = step.call, step.action
        progress.judge(step.passed)
        if step.passed and rules.after_pass == "stop":
            return _event(progress, _VERIFIED)
        submits = (step.call, step.action) in known.submissions
        if submits and (step.passed or rules.on_unverified_submit == "terminal"):
            return _event(progress, "submitted")
    progress.calls = calls
    status = _STATUS_OF_REASON.get(recorded.reason or "") or known.status
    if progress.passed_call is None and status in (None, _VERIFIED, "submitted"):
        return RegradedEvent("censored", calls, None, STOPPED_EARLY)
    return _event(progress, status or _VERIFIED)


def _event(progress: Progress, status: str) -> RegradedEvent:
    event, call, reason = event_of(progress, status)
    action = progress.passed_action if event == "verified" else None
    return RegradedEvent(event, call, action, reason, progress.unpassed_at, progress.repassed_at)
