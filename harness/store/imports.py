"""Rows of event tables from elsewhere: attempts and tries as the file says, marked, and covered by the ledger.

A batch is one import. Its ledger record holds a digest of all its rows, so that a million of them need one record.
"""

from __future__ import annotations

import hashlib
import json
import uuid
from collections.abc import Collection, Iterable, Iterator, Sequence
from itertools import islice
from typing import Any

from sqlalchemy import ColumnElement, Connection, exists, insert, select

from harness.store import ledger
from harness.store.clock import utc_now
from harness.store.events import EventRow
from harness.store.records import StoreConflict
from harness.store.tables import attempts, json_text, tries

#: Kind of the ledger record of a batch.
KIND = "events_imported"

_MARK = "import:"
_CHUNK = 5_000
_IN = 500


def imported_tries() -> ColumnElement[bool]:
    """Which tries came from a file."""
    return tries.c.controller.startswith(_MARK)


def imported_attempts() -> ColumnElement[bool]:
    """Which attempts came from a file."""
    return exists().where(tries.c.attempt_id == attempts.c.id, imported_tries())


class AlreadyHeld(StoreConflict):
    """The database holds the attempt of row ``index`` (from 0) already."""

    def __init__(self, index: int, row: EventRow):
        self.index = index
        super().__init__(
            f"the database holds attempt {row.stage}, {row.task}, {row.runtime}, {row.arm}, repeat {row.repeat} already"
        )


def insert_batch(
    connection: Connection, rows: Iterable[tuple[str, EventRow]], sources: Sequence[str], begun: Collection[str]
) -> tuple[int, int]:
    """Inserts rows and their ledger record, streamed; how many attempts and tries.

    Args:
        rows: attempt id and row, those of an attempt next to each other; their stages are registered.
        sources: names of the files, without folders.
        begun: stages that have attempts already.

    Raises:
        AlreadyHeld: the database holds an attempt of the rows.
    """
    batch, at = uuid.uuid4().hex, utc_now()
    stream, last, planned_all, ended_all = iter(rows), "", 0, 0
    while chunk := list(islice(stream, _CHUNK)):
        fresh = {one: (index, row) for index, (one, row) in reversed([*enumerate(chunk)]) if one != last}
        held = _held(connection, [one for one, (_, row) in fresh.items() if row.stage in begun])
        if held:
            index, row = min((fresh[one] for one in held), key=lambda found: found[0])
            raise AlreadyHeld(ended_all + index, row)
        if fresh:
            planned = [_attempt(row, one, at) for one, (_, row) in fresh.items()]
            connection.execute(insert(attempts), planned)
        connection.execute(insert(tries), [_try(row, one, at, batch) for one, row in chunk])
        last = chunk[-1][0]
        planned_all, ended_all = planned_all + len(fresh), ended_all + len(chunk)
    record = {"batch": batch, "sources": list(sources), "attempts": planned_all, "tries": ended_all}
    ledger.append(connection, KIND, record | {"rows": _digest(connection, batch)})
    return planned_all, ended_all


def faults(connection: Connection) -> Iterator[tuple[str, Any, Any]]:
    """Batches whose rows are not as the ledger recorded them: batch, digest found, digest recorded (None for none)."""
    recorded = {}
    for entry in ledger.records(connection):
        if entry.kind == KIND:
            payload = json.loads(entry.payload)
            recorded[payload["batch"]] = payload["rows"]
    found = select(tries.c.controller).where(imported_tries()).distinct()
    batches = {text.removeprefix(_MARK) for text in connection.execute(found).scalars()}
    for batch in sorted(batches | recorded.keys()):
        digest = _digest(connection, batch) if batch in batches else None
        if digest != recorded.get(batch):
            yield batch, digest, recorded.get(batch)


def _held(connection: Connection, ids: Sequence[str]) -> set[str]:
    """Which of the attempts are there."""
    there: set[str] = set()
    for start in range(0, len(ids), _IN):
        part = ids[start : start + _IN]
        there.update(connection.execute(select(attempts.c.id).where(attempts.c.id.in_(part))).scalars())
    return there


def _digest(connection: Connection, batch: str) -> str:
    query = select(attempts, tries).join_from(tries, attempts).where(tries.c.controller == f"{_MARK}{batch}")
    content = hashlib.sha256()
    for row in connection.execute(query.order_by(tries.c.id), execution_options={"yield_per": 1000}):
        content.update(json_text(list(row)).encode() + b"\n")
    return content.hexdigest()


def _attempt(row: EventRow, one: str, at: str) -> dict[str, Any]:
    names = ("stage", "digest", "task", "runtime", "arm", "repeat", "horizon", "origin")
    return {name: getattr(row, name) for name in names} | {"id": one, "planned_at": at}


def _try(row: EventRow, one: str, at: str, batch: str) -> dict[str, Any]:
    names = (
        *("event", "call", "action", "reason", "calls", "cost_usd", "wall_s"),
        *("unpassed_at", "repassed_at", "valid", "exclusion"),
    )
    # No process of ours ran it.
    nobody = {"controller": f"{_MARK}{batch}", "pid": 0, "host": "", "boot": "", "pid_namespace": ""}
    start = {"process_started": 0, "environment": {}, "started_at": at, "ended_at": at}
    own = {"attempt_id": one, "number": row.try_, "state": "finished"}
    return {name: getattr(row, name) for name in names} | nobody | start | own
