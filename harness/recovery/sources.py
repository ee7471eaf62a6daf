"""The failed branches of a collected stage: what each attempt that never passed left in production code."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from harness.errors import Incomplete, InputError
from harness.layer_store import EMPTY, read_layer
from harness.protocol.reuse import Branches
from harness.recovery.production import production_part
from harness.store.store import Store
from harness.workspace.base import Base
from harness.workspace.layer import Layer


@dataclass(frozen=True)
class Source:
    """A failed branch. Two of them may have the same content: they are two sources all the same."""

    attempt: str
    """Id of the attempt."""
    arm: str
    repeat: int
    layer: Layer
    """Its last state, reduced to production code; never empty."""


@dataclass(frozen=True)
class Found:
    """The failed branches of one task and runtime, by arm and repeat, and how many attempts gave none."""

    sources: tuple[Source, ...]
    left_out: Mapping[str, int]
    """``verified``, ``empty``: attempts by why they are no source."""

    @property
    def contents(self) -> list[Layer]:
        """The distinct contents, in the order of their first sources."""
        return list({source.layer.digest: source.layer for source in self.sources}.values())


def sources_of(
    store: Store, plan: Branches, task: str, runtime: str, base: Base, content: Callable[[str], bytes]
) -> Found:
    """The failed branches that a plan reuses in one task.

    Raises:
        InputError: the stage is unknown, has no such runtime or arm, or was collected on another base.
        Incomplete: it is not completely collected; branches found now would be others than those found later.
    """
    _require_complete(store, plan, task, runtime)
    left_out: Counter[str] = Counter()
    sources = []
    for attempt, facts in store.ended_tries(plan.stage):
        chosen = plan.arms is None or attempt.arm in plan.arms
        if not (facts["valid"] and chosen and (attempt.task, attempt.runtime) == (task, runtime)):
            continue
        if facts["event"] == "verified":
            left_out["verified"] += 1
            continue
        if (recorded := (facts["outcome"] or {}).get("base")) not in (None, base.digest):
            raise InputError(
                f"{task} of {plan.stage} was collected on base {str(recorded)[:12]}, and has {base.digest[:12]} now",
                mend="restore the task as it was, or collect the stage again under another name",
            )
        layer = production_part(read_layer(content, _last_layer(store, attempt.id, facts)), base.manifest)
        if layer.manifest:
            sources.append(Source(attempt.id, attempt.arm, attempt.repeat, layer))
        else:
            left_out["empty"] += 1
    return Found(tuple(sources), dict(left_out))


def _require_complete(store: Store, plan: Branches, task: str, runtime: str) -> None:
    planned = [
        attempt for attempt in store.attempts(plan.stage)
        if (attempt.task, attempt.runtime) == (task, runtime) and (plan.arms is None or attempt.arm in plan.arms)
    ]  # fmt: skip
    missing_arms = sorted(set(plan.arms or ()) - {attempt.arm for attempt in planned})
    if not planned or missing_arms:
        what = f"arm {', '.join(missing_arms)}" if planned else f"attempt at {task}"
        raise InputError(
            f"{plan.stage} holds no {what} of runtime {runtime}", file="database",
            mend=f"restartlab collect {plan.stage} --runtime {runtime}",
        )  # fmt: skip
    mine = {attempt.id for attempt in planned}
    left = [state for state in store.attempts_to_run(plan.stage, runtimes=[runtime], tasks=[task])
            if state.attempt.id in mine]  # fmt: skip
    if left:
        raise Incomplete(
            f"{len(left)} attempts of {plan.stage} at {task}, {runtime}, have no counted try; first: "
            f"restartlab collect {plan.stage} --runtime {runtime}"
        )


def _last_layer(store: Store, attempt: str, facts: Mapping[str, Any]) -> str:
    """Digest of the workspace's last state."""
    (view,) = (one for one in store.attempt(attempt).tries if one.facts["id"] == facts["id"])
    resets = [one["call"] for one in (facts["outcome"] or {}).get("interventions", ()) if one["workspace"] == "reset"]
    since = max(resets, default=0)
    layers: Sequence[str] = [action.layer_digest for action in view.actions
                             if action.layer_digest and action.call > since]  # fmt: skip
    return layers[-1] if layers else EMPTY.digest
