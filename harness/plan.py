"""Expands a frozen stage into its attempts, each with the identity that all machines agree on."""

from __future__ import annotations

from collections.abc import Sequence

from harness.canonical import digest_json
from harness.protocol.schema import Protocol
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
