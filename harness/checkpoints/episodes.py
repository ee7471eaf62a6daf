"""The episodes of a checkpoint stage: its checkpoints, frozen at the latest now, times actions times repeats."""

from __future__ import annotations

from collections.abc import Sequence

from harness.checkpoints.choosing import freeze_checkpoints
from harness.checkpoints.episode import Episode
from harness.errors import Incomplete
from harness.plan import expand_checkpoints
from harness.protocol.freeze import FrozenStage
from harness.store.checkpoints import split_arm
from harness.store.records import Attempt
from harness.store.store import Store


def episodes_of(store: Store, stage: FrozenStage, runtimes: Sequence[str]) -> list[tuple[Attempt, Episode]]:
    """Every episode of the runtimes with the attempt that it is; repeats are outermost.

    Raises:
        InputError: as ``freeze_checkpoints``.
        Incomplete: the source is not finished, or the rule takes no state of a runtime.
    """
    plan = stage.protocol.checkpoint
    assert plan is not None
    actions = {action.name: action for action in plan.actions}
    found = []
    for runtime in runtimes:
        chosen = freeze_checkpoints(store, stage, runtime)
        if not chosen.checkpoints:
            why = f"; {len(chosen.refused)} were refused, the first because {chosen.refused[0]['why']}"
            raise Incomplete(
                f"the rule of {stage.protocol.stage} takes no state of {plan.source.stage} for runtime {runtime}"
                + (why if chosen.refused else "")
            )
        by_name = {one.name: one for one in chosen.checkpoints}
        for attempt in expand_checkpoints(stage.protocol, stage.digest, runtime, chosen.checkpoints):
            action, name = split_arm(attempt.arm)
            found.append((attempt, Episode(by_name[name], actions[action])))
    return sorted(found, key=lambda one: one[0].repeat)
