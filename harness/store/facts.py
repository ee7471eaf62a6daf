"""What the ledger records of each row, and the check that the tables still say what the ledger recorded."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from sqlalchemy import Connection, Row, Table, select

from harness.canonical import digest_bytes
from harness.store import imports, ledger
from harness.store.tables import (
    JsonText,
    actions,
    attempts,
    audits,
    checkpoint_sets,
    checkpoints,
    chosen_sets,
    json_text,
    qualifications,
    regrade_events,
    regrade_verdicts,
    regrades,
    stages,
    tries,
)

#: The table that the records of each kind cover. A correction changes no row: the record is all there is.
COVERED = {
    "stage_registered": stages,
    "set_chosen": chosen_sets,
    "attempts_planned": attempts,
    "try_started": tries,
    "try_finished": tries,
    "try_excluded": tries,
    "qualification": qualifications,
    "regraded": regrades,
    "checkpoints_chosen": checkpoint_sets,
    "checkpoint_frozen": checkpoints,
}

#: Rows of these tables that came from a file are covered batch by batch.
_IMPORTED = {"attempts": imports.imported_attempts, "tries": imports.imported_tries}


@dataclass(frozen=True)
class FactFault:
    """A row that disagrees with the ledger. ``field`` is None when the row is missing on one side."""

    table: str
    key: tuple[Any, ...]
    field: str | None
    found: Any
    recorded: Any


def record(connection: Connection, kind: str, rows: Sequence[Row[*tuple[Any, ...]]]) -> None:
    """Appends a ledger record of ``rows`` as they now stand in the table that ``kind`` covers."""
    table = COVERED[kind]
    ledger.append(connection, kind, {"rows": [row_facts(connection, table, row) for row in rows]})


def row_facts(connection: Connection, table: Table, row: Row[*tuple[Any, ...]]) -> dict[str, Any]:
    """Column values; JSON columns as SHA-256. A try and a regrade also have digests of the rows that belong to them."""
    facts = {}
    for column in table.columns:
        value = row._mapping[column.name]
        is_json = isinstance(column.type, JsonText) and value is not None
        facts[column.name] = digest_bytes(json_text(value).encode()) if is_json else value
    if table is tries:
        done = select(actions).where(actions.c.try_id == row.id).order_by(actions.c.call, actions.c.action)
        facts["actions"] = _digest(connection.execute(done).all())
        found = select(audits).where(audits.c.try_id == row.id).order_by(audits.c.id)
        facts["audits"] = _digest(connection.execute(found).all())
    if table is regrades:
        for name, part in (("events", regrade_events), ("verdicts", regrade_verdicts)):
            mine = select(part).where(part.c.regrade_id == row.id).order_by(*part.primary_key.columns)
            facts[name] = _digest(connection.execute(mine).all())
    return facts


def reconcile(connection: Connection) -> FactFault | None:
    """The first row that is not as last recorded, or stands on one side only; None when all agree.

    Verify the chain first: this takes the ledger's word.
    """
    recorded: dict[str, dict[tuple[Any, ...], dict[str, Any]]] = {table.name: {} for table in COVERED.values()}
    for entry in ledger.records(connection):
        if entry.kind in COVERED:
            table = COVERED[entry.kind]
            for facts in json.loads(entry.payload)["rows"]:
                recorded[table.name][_key(table, facts)] = facts
    for table in dict.fromkeys(COVERED.values()):
        fault = next(_faults(connection, table, recorded[table.name]), None)
        if fault is not None:
            return fault
    for batch, found, expected in imports.faults(connection):
        return FactFault("tries", (batch,), "import", found, expected)
    return None


def _faults(connection: Connection, table: Table, recorded: dict[tuple[Any, ...], Any]) -> Iterator[FactFault]:
    query = select(table).order_by(*table.primary_key.columns)
    if table.name in _IMPORTED:
        query = query.where(~_IMPORTED[table.name]())
    for row in connection.execute(query).all():
        facts = row_facts(connection, table, row)
        key = _key(table, facts)
        expected = recorded.pop(key, None)
        if expected is None:
            yield FactFault(table.name, key, None, "a row", "nothing")
            continue
        for field, value in facts.items():
            if value != expected.get(field):
                yield FactFault(table.name, key, field, value, expected.get(field))
    for key in sorted(recorded):
        yield FactFault(table.name, key, None, "nothing", "a row")


def _key(table: Table, facts: dict[str, Any]) -> tuple[Any, ...]:
    return tuple(facts[column.name] for column in table.primary_key.columns)


def _digest(rows: Any) -> str:
    return digest_bytes(json_text([dict(row._mapping) for row in rows]).encode())
