"""Thresholds that a monitor stage calibrated: records of the ledger alone, one a runtime, never changed.

A record must stand before the first try of an attempt that it is used in; the chain's order shows that it did.
"""

from __future__ import annotations

import json
from collections.abc import Collection, Mapping
from typing import Any

from sqlalchemy import Connection, select

from harness.store import ledger
from harness.store.records import StoreConflict
from harness.store.tables import attempts, tries
from harness.store.tables import ledger as table

KIND = "thresholds_frozen"


def freeze(
    connection: Connection, stage: str, digest: str, runtime: str, record: Mapping[str, Any], held_out: Collection[str]
) -> None:
    """Appends the record of a runtime.

    Args:
        record: plain JSON data.
        held_out: tasks on which the thresholds are to be tested.

    Raises:
        StoreConflict: there is one, or a held-out attempt has begun.
    """
    if find(connection, stage, digest, runtime) is not None:
        raise StoreConflict(f"the thresholds of {stage}, runtime {runtime}, are frozen already")
    a = attempts.c
    begun = (
        select(a.task).join_from(tries, attempts)
        .where(a.stage == stage, a.digest == digest, a.runtime == runtime, a.task.in_(held_out)).limit(1)
    )  # fmt: skip
    if (task := connection.execute(begun).scalar()) is not None:
        raise StoreConflict(f"{task} of {stage} is held out, and was tried before the thresholds were frozen")
    ledger.append(connection, KIND, {"stage": stage, "digest": digest, "runtime": runtime, "record": dict(record)})


def find(connection: Connection, stage: str, digest: str, runtime: str) -> dict[str, Any] | None:
    """The record of a runtime, with ``frozen_at`` (UTC) and ``ledger_seq``; None: not calibrated yet."""
    for row in connection.execute(select(table).where(table.c.kind == KIND).order_by(table.c.seq)):
        payload = json.loads(row.payload)
        if (payload["stage"], payload["digest"], payload["runtime"]) == (stage, digest, runtime):
            return {**payload["record"], "frozen_at": row.at, "ledger_seq": row.seq}
    return None
