"""What scripted attempts come to in the arms of a stage, from their laws and seeds alone: nothing is run.

Of arms without action, and of those that put a new conversation in place of malformed replies in a row.
"""

from __future__ import annotations

from dataclasses import dataclass

from harness.models.plan import episode_seed, moves
from harness.plan import expand
from harness.protocol.models import ScriptedModel
from harness.protocol.schema import Arm, Protocol
from harness.store.records import Attempt


@dataclass(frozen=True)
class Planned:
    """An attempt's end, if the verifier accepts what it should, and the calls after which the action was applied."""

    attempt: Attempt
    event: str
    call: int
    reason: str | None
    applied: tuple[int, ...]


def planned(protocol: Protocol, digest: str, runtime: str = "scripted") -> list[Planned]:
    """Every attempt of the stage."""
    model = protocol.runtimes[runtime].model
    assert isinstance(model, ScriptedModel)
    arms = {arm.name: arm for arm in protocol.arms}
    return [_planned(one, arms[one.arm], model, protocol) for one in expand(protocol, digest, (runtime,))]


def _planned(attempt: Attempt, arm: Arm, model: ScriptedModel, protocol: Protocol) -> Planned:
    stream = moves(attempt.seed, model.law_for(attempt.task), model.scale)
    applied: list[int] = []
    run = 0
    for call in range(1, protocol.horizon + 1):
        kind, _ = next(stream)
        run = run + 1 if kind == "malformed" else 0
        if kind == "complete":
            return Planned(attempt, "verified", call, None, tuple(applied))
        if kind == "submit":
            return Planned(attempt, "terminal", call, "unverified_submission", tuple(applied))
        if run < protocol.agent.max_consecutive_format_errors:
            continue
        if arm.action is None:
            return Planned(attempt, "terminal", call, "repeated_format_error", ())
        applied.append(call)
        law = model.law_for(attempt.task, arm.action.name)
        stream, run = moves(episode_seed(attempt.seed, len(applied) + 1), law, model.scale), 0
    return Planned(attempt, "censored", protocol.horizon, "horizon", tuple(applied))


HEAD = (
    "stage,digest,origin,task,runtime,arm,repeat,try,horizon,event,call,action,reason,calls,cost_usd,wall_s,"
    "unpassed_at,repassed_at,valid,exclusion"
)


def events_csv(rows: list[Planned], cost_per_call: float, wall_per_call: float = 8.0) -> str:
    """The planned events as an event table."""
    lines = [HEAD]
    for row in rows:
        one = row.attempt
        cells = [
            one.stage, one.digest, one.origin, one.task, one.runtime, one.arm, one.repeat, 1, one.horizon, row.event,
            row.call, 0 if row.event == "verified" else "", row.reason or "", row.call, row.call * cost_per_call,
            row.call * wall_per_call, "", "", "true", "",
        ]  # fmt: skip
        lines.append(",".join(map(str, cells)))
    return "\n".join(lines) + "\n"


def applications(rows: list[Planned], action: str) -> list[dict[str, object]]:
    """The applications of the action, as a report takes them."""
    return [
        {"task": row.attempt.task, "runtime": row.attempt.runtime, "arm": row.attempt.arm,
         "repeat": row.attempt.repeat, "call": call, "action": action, "event": "repeated_format_error"}
        for row in rows for call in row.applied
    ]  # fmt: skip
