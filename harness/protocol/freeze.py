"""Freezing a stage, and requiring that it is frozen and unchanged."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import NamedTuple

from harness.errors import InputError
from harness.protocol.digest import Stage, load_stage
from harness.protocol.drift import describe, drift
from harness.protocol.frozen import FrozenEntry, frozen_lock, frozen_path, read_frozen, write_frozen
from harness.protocol.load import find_stage
from harness.protocol.schema import Protocol
from tasks.interface import Task


@dataclass(frozen=True)
class Freezing:
    """What ``freeze`` did."""

    stage: str
    digest: str
    date: str
    new: bool
    """False: it was frozen already, under the same digest."""


class FrozenStage(NamedTuple):
    """A stage that may be collected."""

    protocol: Protocol
    digest: str
    tasks: Mapping[str, Task]


def freeze(stage: str) -> Freezing:
    """Writes date and digest of a stage of the protocol directory to FROZEN.yaml.

    A stage that is frozen under the same digest is left alone.

    Raises:
        InputError: invalid, or frozen under another digest (the changed keys are named); nothing is written.
    """
    current = load_stage(_named(stage))
    with frozen_lock():
        entries = read_frozen()
        entry = entries.get(stage)
        if entry is None:
            entry = FrozenEntry(
                date=datetime.now(UTC).date().isoformat(), digest=current.digest, parts=dict(current.parts)
            )
            write_frozen({**entries, stage: entry})
            return Freezing(stage, entry.digest, entry.date, new=True)
    if entry.digest != current.digest:
        raise _differs(current, entry)
    return Freezing(stage, entry.digest, entry.date, new=False)


def require_frozen(stage: str) -> FrozenStage:
    """The protocol, digest and tasks of a frozen, unchanged stage of the protocol directory.

    Raises:
        InputError: invalid, not frozen, or not what was frozen (the changed keys are named).
    """
    path = _named(stage)
    entry = read_frozen().get(stage)
    current = load_stage(path)
    if entry is None:
        raise InputError(f"the stage {stage!r} is not frozen", file=current.path, mend=f"restartlab freeze {stage}")
    if entry.digest != current.digest:
        raise _differs(current, entry)
    return FrozenStage(current.protocol, current.digest, current.tasks)


def _named(stage: str) -> str:
    if "/" in stage or stage.endswith(".yaml"):
        mend = f"name a file of {frozen_path().parent}, without .yaml"
        raise InputError(f"{stage!r} is not the name of a stage", mend=mend)
    find_stage(stage)
    return stage


def _differs(current: Stage, entry: FrozenEntry) -> InputError:
    changes = drift(entry.parts, current.parts)
    stage = current.protocol.stage
    return InputError(
        f"differs from the stage that was frozen on {entry.date}: {describe(changes)}",
        file=current.path,
        key=changes[0].key if changes else None,
        mend=f"undo the change; or, as a new idea is a new stage, copy {stage}.yaml under a new name, "
        f"set its stage key, and freeze that",
    )
