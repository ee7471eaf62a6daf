"""What was made of failed branches: records of the ledger alone, each once, never changed.

``compositions_made`` and ``hypotheses_told`` hold, per runtime and task, all that was decided before any verdict or
attempt; ``composition_verified`` one verifier call each. The chain's order shows which came first.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any, Literal

from sqlalchemy import Connection, select

from harness.store import ledger
from harness.store.records import StoreConflict
from harness.store.tables import ledger as table

Kind = Literal["compositions_made", "composition_verified", "hypotheses_told"]


def put(connection: Connection, kind: Kind, key: Mapping[str, str], record: Mapping[str, Any]) -> None:
    """Appends a record; ``connection`` is in a ``writing`` transaction.

    Args:
        key: names it: stage, digest, runtime, task, and of a verifier call ``layer``, the composite's digest.

    Raises:
        StoreConflict: there is one under this key.
    """
    if find(connection, kind, key):
        raise StoreConflict(f"{kind} of {', '.join(key.values())} is on record already")
    ledger.append(connection, kind, {"key": dict(key), "record": dict(record)})


def find(connection: Connection, kind: Kind, key: Mapping[str, str]) -> list[dict[str, Any]]:
    """The records whose key has these values, oldest first: key and record in one."""
    found = []
    for row in connection.execute(select(table).where(table.c.kind == kind).order_by(table.c.seq)):
        payload = json.loads(row.payload)
        if all(payload["key"].get(name) == value for name, value in key.items()):
            found.append({**payload["key"], **payload["record"], "at": row.at, "ledger_seq": row.seq})
    return found
