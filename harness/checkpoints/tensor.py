"""The outcome tensor of a checkpoint stage, checkpoint x action x repeat: complete, or refused with its holes named."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from typing import Any

from harness.checkpoints.holes import refuse_holes
from harness.errors import Incomplete, InputError
from harness.store.checkpoints import Checkpoint, split_arm
from harness.store.records import Attempt
from harness.store.regrades import RecordedTry
from harness.store.store import Store

#: How an episode came to its outcome.
OBSERVED, PROTOCOL_FAILURE, INVALID = (
    "native_verifier_observed", "model_protocol_failure", "invalid_adapter_attempt"
)  # fmt: skip
#: Columns of the table, in their order; the last four may be missing in tables of others.
COLUMNS = (
    "checkpoint", "task", "runtime", "action", "repeat", "select", "evaluate", "provenance", "calls", "cost_usd",
    "stage", "origin", "key", "stratum",
)  # fmt: skip
#: Ends that the model brought about by not keeping to the protocol, and those that its adapter did.
_PROTOCOL = ("repeated_format_error", "context_overflow", "refusal")
_ADAPTER = ("agent_error", "agent_stopped")
_JUDGED = ("pass", "fail", "broken_import", "no_result")


def tensor_rows(
    store: Store, stage: str, runtimes: Collection[str] | None = None, *, count_lost: bool = False
) -> list[dict[str, Any]]:
    """A row per episode, by runtime, checkpoint, action (in the protocol's order), repeat.

    ``select`` and ``evaluate`` are 1 for an episode that the verifier passed, else 0; ``key`` says how the checkpoint's
    attempt stood there: live, or why it had ended.

    Args:
        runtimes: only these; None: all whose checkpoints are frozen.
        count_lost: an episode all of whose tries infrastructure lost is an outcome of 0, an invalid adapter attempt,
            and no hole.

    Raises:
        InputError: the stage is not a collected checkpoint stage.
        Incomplete: an episode has no outcome; the first ones are named.
    """
    record = store.stage(stage)
    plan = ((record.protocol or {}).get("protocol") or {}).get("checkpoint") if record else None
    if record is None or plan is None:
        what = f"{stage} is not a checkpoint stage of this database"
        raise InputError(what, file="STAGE", mend=f"restartlab collect {stage}, or name another stage")
    frozen = list(store.checkpoint_runtimes(stage, record.digest))
    for name in runtimes or ():
        if name not in frozen:
            mend = f"runtimes with checkpoints: {', '.join(frozen) or 'none'}"
            raise InputError(f"{name!r} has no checkpoints of {stage}", file="--runtime", mend=mend)
    names = [name for name in frozen if runtimes is None or name in runtimes]
    if not names:
        raise Incomplete(f"{stage} has no checkpoints yet: restartlab collect {stage}")
    order = [action["name"] for action in plan["actions"]]
    tries = {one.attempt.id: one for one in store.recorded_tries(stage, runtimes=names)}
    lost = _lost(store, stage) if count_lost else {}
    rows, holes = [], []
    for runtime in names:
        chosen = store.checkpoints(stage, record.digest, runtime)
        assert chosen is not None
        for one, action, attempt in _episodes(store, stage, runtime, chosen.checkpoints, order):
            outcome = _outcome(tries.get(attempt.id), lost.get(attempt.id))
            if outcome is None:
                holes.append(f"{attempt.arm} repeat {attempt.repeat} ({attempt.task}, {runtime})")
            else:
                rows.append(_row(one, action, attempt) | outcome)
    refuse_holes(stage, holes, len(holes) + len(rows))
    return rows


def _episodes(
    store: Store, stage: str, runtime: str, checkpoints: tuple[Checkpoint, ...], actions: list[str]
) -> Iterator[tuple[Checkpoint, str, Attempt]]:
    """Every planned episode in the order of the tensor."""
    place = {one.name: number for number, one in enumerate(checkpoints)}
    planned = []
    for attempt in store.attempts(stage):
        action, name = split_arm(attempt.arm)
        if attempt.runtime == runtime and name in place:
            planned.append((place[name], actions.index(action), attempt.repeat, attempt))
    if len(planned) < len(checkpoints) * len(actions):
        raise Incomplete(f"the episodes of {stage}, runtime {runtime}, are not planned: restartlab collect {stage}")
    for number, action_number, _, attempt in sorted(planned, key=lambda one: one[:3]):
        yield checkpoints[number], actions[action_number], attempt


def _lost(store: Store, stage: str) -> dict[str, dict[str, Any]]:
    """The last excluded try of every attempt that has one."""
    return {attempt.id: facts for attempt, facts in store.ended_tries(stage) if not facts["valid"]}


def _outcome(counted: RecordedTry | None, lost: dict[str, Any] | None) -> dict[str, Any] | None:
    if counted is not None:
        score = int(counted.event.event == "verified")
        return {
            "select": score, "evaluate": score, "provenance": provenance(counted), "calls": counted.calls,
            "cost_usd": counted.cost_usd,
        }  # fmt: skip
    if lost is None:
        return None
    return {
        "select": 0, "evaluate": 0, "provenance": INVALID, "calls": lost["calls"], "cost_usd": lost["cost_usd"]
    }  # fmt: skip


def provenance(counted: RecordedTry) -> str:
    """Whether the verifier saw what the episode came to, or the model, or the agent around it, broke the protocol."""
    if counted.event.reason in _ADAPTER:
        return INVALID
    judged = any(step.verdict_state in _JUDGED for step in counted.steps)
    return PROTOCOL_FAILURE if counted.event.reason in _PROTOCOL or not judged else OBSERVED


def _row(one: Checkpoint, action: str, attempt: Attempt) -> dict[str, Any]:
    status = "live" if one.provenance["status"] == "live" else str(one.provenance["reason"])
    return {
        "checkpoint": one.name, "task": one.task, "runtime": attempt.runtime, "action": action,
        "repeat": attempt.repeat, "stage": attempt.stage, "origin": attempt.origin, "key": status,
    }  # fmt: skip
