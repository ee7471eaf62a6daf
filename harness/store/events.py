"""The event table: what analysis reads. One row per ended try; no prompts, commands, paths or output."""

from __future__ import annotations

import csv
from collections.abc import Iterable, Iterator
from dataclasses import astuple, dataclass, fields
from itertools import islice
from pathlib import Path
from typing import Any, TextIO

from sqlalchemy import Connection, select

from harness.errors import InputError
from harness.store.tables import attempts, tries


@dataclass(frozen=True)
class EventRow:
    """One ended try. ``cost_usd`` in US dollars and ``wall_s`` in seconds are None when unknown."""

    stage: str
    digest: str
    origin: str
    task: str
    runtime: str
    arm: str
    repeat: int
    try_: int
    horizon: int
    event: str
    call: int
    action: int | None
    reason: str | None
    calls: int
    cost_usd: float | None
    wall_s: float | None
    unpassed_at: int | None
    repassed_at: int | None
    valid: bool
    exclusion: str | None


#: Column names in their order (``try`` is a word of Python, hence the field's underscore).
COLUMNS = tuple(field.name.rstrip("_") for field in fields(EventRow))


def event_rows(connection: Connection, stage: str | None = None) -> Iterator[EventRow]:
    """Rows sorted by stage, task, runtime, arm, repeat, try (text in code point order), streamed."""
    a, t = attempts.c, tries.c
    query = (
        select(
            *(a.stage, a.digest, a.origin, a.task, a.runtime, a.arm, a.repeat, t.number, a.horizon, t.event, t.call),
            *(t.action, t.reason, t.calls, t.cost_usd, t.wall_s, t.unpassed_at, t.repassed_at, t.valid, t.exclusion),
        )
        .join_from(tries, attempts)
        .where(t.state == "finished")
        .order_by(a.stage, a.task, a.runtime, a.arm, a.repeat, t.number)
    )
    if stage is not None:
        query = query.where(a.stage == stage)
    for row in connection.execute(query, execution_options={"yield_per": 1000}):
        yield EventRow(*tuple(row))


def write_csv(rows: Iterable[EventRow], stream: TextIO) -> int:
    """Writes a header and the rows; how many. Lines end in \\n, floats read back exactly, unknown is empty.

    Open files with ``newline=""`` and UTF-8.
    """
    writer = csv.writer(stream, lineterminator="\n")
    writer.writerow(COLUMNS)
    count = 0
    for row in rows:
        writer.writerow([_text(value) for value in astuple(row)])
        count += 1
    return count


def write_parquet(rows: Iterable[EventRow], path: Path) -> int:
    """Writes the rows as Parquet; how many.

    Raises:
        InputError: pyarrow is not installed.
    """
    try:
        import pyarrow as pa
        import pyarrow.parquet as pq
    except ImportError:
        raise InputError("Parquet needs pyarrow", file=path, mend="install pyarrow, or export CSV") from None
    kinds = {"int": pa.int64(), "float": pa.float64(), "bool": pa.bool_(), "str": pa.string()}
    schema = pa.schema(
        [
            pa.field(name, kinds[str(field.type).removesuffix(" | None")], nullable=str(field.type).endswith("None"))
            for name, field in zip(COLUMNS, fields(EventRow), strict=True)
        ]
    )
    count = 0
    with pq.ParquetWriter(path, schema) as writer:
        stream = iter(rows)
        while batch := list(islice(stream, 10_000)):
            writer.write_batch(pa.record_batch(list(zip(*map(astuple, batch), strict=True)), schema=schema))
            count += len(batch)
    return count


def _text(value: Any) -> str:
    if value is None:
        return ""
    if isinstance(value, bool):
        return "true" if value else "false"
    return repr(value) if isinstance(value, float) else str(value)
