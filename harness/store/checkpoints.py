"""Frozen checkpoints: the states that a stage draws from, chosen once per runtime and never changed."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from sqlalchemy import Connection, insert, select

from harness.canonical import digest_json
from harness.errors import InputError
from harness.store import facts
from harness.store.clock import utc_now
from harness.store.records import StoreConflict
from harness.store.tables import checkpoint_sets, checkpoints

#: Hex digits by which people, arms and tables name a checkpoint.
SHORT = 12
_SEPARATOR = "@"


@dataclass(frozen=True)
class Checkpoint:
    """One frozen state of an attempt, on disk as blobs.

    ``layer``: digest of the layer on ``base``. ``scratch``: digests of the layers of /tmp and home, of those
    that hold anything; None when they were not kept. ``messages``: digest of the conversation (a JSON list); None when
    there is none to go on from. ``malformed``: consecutive malformed calls at its end. ``provenance``: whose state it
    is (stage, digest, attempt, try, event, reason, verdict, obligations ...); part of no identity.
    """

    task: str
    base: str
    call: int
    layer: str
    scratch: Mapping[str, str] | None
    messages: str | None
    malformed: int
    source: str
    """Id of the attempt that it is a state of."""
    provenance: Mapping[str, Any]

    @property
    def state(self) -> dict[str, Any]:
        """What identifies it, as JSON data."""
        names = ("task", "base", "call", "layer", "scratch", "messages", "malformed", "source")
        return {name: getattr(self, name) for name in names}

    @property
    def id(self) -> str:
        """SHA-256 (hex) of its state."""
        return digest_json(self.state)

    @property
    def name(self) -> str:
        """The beginning of its id."""
        return self.id[:SHORT]


@dataclass(frozen=True)
class CheckpointSet:
    """The checkpoints of one runtime of a stage, in their order, and the states that were not taken, each with why."""

    runtime: str
    checkpoints: tuple[Checkpoint, ...]
    refused: tuple[Mapping[str, Any], ...]
    at: str = ""


def arm_name(action: str, checkpoint: str) -> str:
    """The arm of the episodes that an action begins from a checkpoint (its short name): ``restart@0a1b2c3d4e5f``."""
    return f"{action}{_SEPARATOR}{checkpoint}"


def split_arm(arm: str) -> tuple[str, str]:
    """(action, short name of the checkpoint) of an arm; the latter empty where the arm names none."""
    action, _, checkpoint = arm.partition(_SEPARATOR)
    return action, checkpoint


def put(connection: Connection, stage: str, digest: str, chosen: CheckpointSet) -> None:
    """Adds the checkpoints of a runtime; ``connection`` is in a ``writing`` transaction.

    Raises:
        StoreConflict: the runtime has its checkpoints already.
    """
    if find(connection, stage, digest, chosen.runtime) is not None:
        raise StoreConflict(f"the checkpoints of {stage}, runtime {chosen.runtime}, are frozen already")
    key = {"stage": stage, "digest": digest, "runtime": chosen.runtime}
    at = utc_now()
    head = key | {"count": len(chosen.checkpoints), "refused": list(chosen.refused), "at": at}
    connection.execute(insert(checkpoint_sets).values(head))
    rows = [
        key | {
            "number": number, "id": one.id, "task": one.task, "call": one.call, "state": one.state,
            "provenance": one.provenance, "at": at,
        }
        for number, one in enumerate(chosen.checkpoints, 1)
    ]  # fmt: skip
    if rows:
        connection.execute(insert(checkpoints), rows)
    facts.record(connection, "checkpoints_chosen", connection.execute(_of(checkpoint_sets, **key)).all())
    if rows:
        facts.record(connection, "checkpoint_frozen", connection.execute(_of(checkpoints, **key)).all())


def find(connection: Connection, stage: str, digest: str, runtime: str) -> CheckpointSet | None:
    """The checkpoints of a runtime; None when they are not frozen.

    Raises:
        InputError: a row is not what its id says.
    """
    key = {"stage": stage, "digest": digest, "runtime": runtime}
    head = connection.execute(_of(checkpoint_sets, **key)).first()
    if head is None:
        return None
    rows = connection.execute(_of(checkpoints, **key).order_by(checkpoints.c.number)).all()
    found = []
    for row in rows:
        one = Checkpoint(**row.state, provenance=row.provenance)
        if one.id != row.id:
            raise InputError(
                f"checkpoint {row.number} of {stage}, runtime {runtime}, holds a state of the id {one.id[:SHORT]}, "
                f"not {row.id[:SHORT]}", file="database", mend="restore the database from a backup",
            )  # fmt: skip
        found.append(one)
    return CheckpointSet(runtime, tuple(found), tuple(head.refused), head.at)


def runtimes_of(connection: Connection, stage: str, digest: str) -> Sequence[str]:
    """Runtimes whose checkpoints are frozen, sorted."""
    c = checkpoint_sets.c
    query = select(c.runtime).where(c.stage == stage, c.digest == digest).order_by(c.runtime)
    return list(connection.execute(query).scalars())


def _of(table: Any, **key: str) -> Any:
    return select(table).where(*(table.c[name] == value for name, value in key.items()))
