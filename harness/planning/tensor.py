"""The outcome tensor of a planning stage, task x action x repeat: complete, or refused with its holes named."""

from __future__ import annotations

from collections.abc import Collection
from typing import Any

from harness.checkpoints.holes import refuse_holes
from harness.errors import InputError
from harness.store.records import Attempt
from harness.store.store import Store


def planning_rows(
    store: Store, stage: str, runtimes: Collection[str] | None = None, *, count_lost: bool = False
) -> list[dict[str, Any]]:
    """A row per episode, by runtime, task, action (in the protocol's order), repeat.

    ``select`` is the public score, ``evaluate`` strict success (0 or 1), ``stratum`` the size of the task, ``key`` what
    the verifier says of the first answer. An episode without a plan is there, with scores of 0.

    Args:
        runtimes: only these; None: all that were collected.
        count_lost: an episode all of whose tries infrastructure lost is an outcome of 0, an invalid adapter attempt,
            and no hole, if any episode of its task has an outcome.

    Raises:
        InputError: the database holds no planning stage of that name.
        Incomplete: an episode has no outcome; the first ones are named.
    """
    record = store.stage(stage)
    plan = record.protocol.get("protocol", {}).get("planning") if record else None
    if plan is None:
        mend = f"restartlab collect {stage}, or name another stage"
        raise InputError(f"{stage} is not a planning stage of this database", file="STAGE", mend=mend)
    held = sorted({one.runtime for one in store.attempts(stage)})
    for name in runtimes or ():
        if name not in held:
            mend = f"runtimes: {', '.join(held) or 'none'}"
            raise InputError(f"{name!r} has no attempts of {stage}", file="--runtime", mend=mend)
    order = {action["name"]: place for place, action in enumerate(plan["actions"])}
    counted, lost, about = {}, {}, {}
    for attempt, facts in store.ended_tries(stage):
        if facts["valid"]:
            counted[attempt.id] = facts
            found = facts["outcome"]["planning"]
            about[attempt.task] = {"stratum": found["stratum"], "key": found["first"]}
        elif count_lost:
            lost[attempt.id] = facts
    rows, holes = [], []
    planned = [one for one in store.attempts(stage) if runtimes is None or one.runtime in runtimes]
    for one in sorted(planned, key=lambda one: (one.runtime, one.task, order[one.arm], one.repeat)):
        if one.id in counted:
            rows.append(_row(one, about, counted[one.id], counted[one.id]["outcome"]["planning"]))
        elif one.id in lost and one.task in about:
            failed = {"public": 0.0, "strict": 0, "provenance": "invalid_adapter_attempt"}
            rows.append(_row(one, about, lost[one.id], failed))
        else:
            holes.append(f"{one.task} {one.arm} repeat {one.repeat} ({one.runtime})")
    refuse_holes(stage, holes, len(planned))
    return rows


def _row(
    one: Attempt, about: dict[str, dict[str, Any]], facts: dict[str, Any], found: dict[str, Any]
) -> dict[str, Any]:
    return {
        "checkpoint": one.task, "task": one.task, "runtime": one.runtime, "action": one.arm, "repeat": one.repeat,
        "select": found["public"], "evaluate": found["strict"], "provenance": found["provenance"],
        "calls": facts["calls"], "cost_usd": facts["cost_usd"], "stage": one.stage, "origin": one.origin,
        **about[one.task],
    }  # fmt: skip
