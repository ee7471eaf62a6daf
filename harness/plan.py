"""Expands a frozen stage into its attempts, each with the identity that all machines agree on."""

from __future__ import annotations

from collections.abc import Sequence

from harness.canonical import digest_json
from harness.protocol.schema import Protocol
from harness.store.checkpoints import Checkpoint, arm_name
from harness.store.records import Attempt


def attempt_id(digest: str, task: str, runtime: str, arm: str, repeat: int) -> str:
    """SHA-256 (hex) of the canonical JSON of what identifies an attempt."""
    return digest_json({"stage": digest, "task": task, "runtime": runtime, "arm": arm, "repeat": repeat})


def expand(protocol: Protocol, stage_digest: str, runtimes: Sequence[str]) -> list[Attempt]:
    """All attempts of the given runtimes.

    Repeats are outermost, so that a collection cut short has about as many attempts in every cell.
    """
    attempts = []
    for repeat in range(1, protocol.repeats + 1):
        for task in protocol.tasks:
            for runtime in runtimes:
                for arm in protocol.arms:
                    if protocol.monitor and arm.name not in protocol.monitor.arms_of(task):
                        continue
                    identity = attempt_id(stage_digest, task, runtime, arm.name, repeat)
                    attempts.append(
                        Attempt(
                            id=identity,
                            stage=protocol.stage,
                            digest=stage_digest,
                            task=task,
                            runtime=runtime,
                            arm=arm.name,
                            repeat=repeat,
                            horizon=protocol.horizon,
                            origin=protocol.runtimes[runtime].origin,
                        )
                    )
    return attempts


def expand_checkpoints(
    protocol: Protocol, stage_digest: str, runtime: str, checkpoints: Sequence[Checkpoint]
) -> list[Attempt]:
    """The episodes of a runtime: checkpoints x actions x repeats, each an attempt of the checkpoint's task.

    Their arm is ``arm_name(action, checkpoint)``, so identity and table tell the checkpoint. Repeats are outermost.
    """
    plan = protocol.checkpoint
    assert plan is not None
    attempts = []
    for repeat in range(1, protocol.repeats + 1):
        for one in checkpoints:
            left = protocol.horizon if plan.budget is None else min(protocol.horizon, plan.budget - one.call)
            for action in plan.actions:
                arm = arm_name(action.name, one.name)
                attempts.append(
                    Attempt(
                        id=attempt_id(stage_digest, one.task, runtime, arm, repeat),
                        stage=protocol.stage,
                        digest=stage_digest,
                        task=one.task,
                        runtime=runtime,
                        arm=arm,
                        repeat=repeat,
                        horizon=left,
                        origin=protocol.runtimes[runtime].origin,
                    )
                )
    return attempts
