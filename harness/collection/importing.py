"""Takes event tables (CSV, Parquet) into the database, whole or not at all."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from analysis.table import EventTable
from harness.errors import InputError
from harness.plan import attempt_id
from harness.store.events import EventRow
from harness.store.imports import AlreadyHeld
from harness.store.store import Store


@dataclass(frozen=True)
class Imported:
    """What an import brought."""

    stages: tuple[str, ...]
    attempts: int
    tries: int


@dataclass(frozen=True)
class Incoming:
    """Tables that were read and checked: rows, digest of each stage (empty if unknown), names of the files."""

    table: EventTable
    digests: dict[str, str]
    names: tuple[str, ...]


def read_files(files: Sequence[Path]) -> Incoming:
    """Reads and checks the tables.

    Raises:
        analysis.errors.InputError: a row is refused.
        InputError: a stage under two digests.
    """
    table = EventTable.read(files)
    return Incoming(table, _digests(table), tuple(file.name for file in files))


def import_files(store: Store, incoming: Incoming) -> Imported:
    """Stores the tables.

    Raises:
        InputError: a stage under another digest than the database holds, or an attempt that it holds.
    """
    table, digests = incoming.table, incoming.digests
    order = table.order()
    try:
        attempts, tries = store.import_events(digests, _rows(table.select(order)), list(incoming.names))
    except AlreadyHeld as error:
        file, row = table.place(int(order[error.index]))
        mend = "leave the row out, or name another database (--database)"
        raise InputError(str(error), file=file, key=f"row {row}", mend=mend) from None
    return Imported(tuple(sorted(digests)), attempts, tries)


def _rows(table: EventTable) -> Iterator[tuple[str, EventRow]]:
    key, one = None, ""
    for values in table.rows():
        stage, digest, *rest = values
        row = EventRow(stage, digest or "", *rest)
        if key != (row.stage, row.task, row.runtime, row.arm, row.repeat):
            key = (row.stage, row.task, row.runtime, row.arm, row.repeat)
            # Stages of unknown digest are told apart by their names.
            one = attempt_id(row.digest or f"imported:{row.stage}", row.task, row.runtime, row.arm, row.repeat)
        yield one, row


def _digests(table: EventTable) -> dict[str, str]:
    """Digest of each stage."""
    stages, digests = table["stage"], table["digest"]
    found: dict[str, str] = {}
    for code, stage in enumerate(table.values["stage"]):
        mine = np.flatnonzero(stages == code)
        texts = [*table.values["digest"], ""]
        odd: NDArray[np.int64] = np.flatnonzero(digests[mine] != digests[mine[0]])
        if len(odd):
            file, row = table.place(int(mine[odd[0]]))
            one, other = (texts[digests[mine[index]]] for index in (odd[0], 0))
            what = f"{one!r} beside {other!r}: stage {stage} has two digests"
            mend = "give one of them another stage name"
            raise InputError(what, file=file, key=f"row {row}, column digest", mend=mend)
        found[stage] = texts[digests[mine[0]]]
        if same := [other for other, digest in found.items() if digest == found[stage] != "" and other != stage]:
            file, row = table.place(int(mine[0]))
            raise InputError(
                f"stages {same[0]} and {stage} have one digest, {found[stage]}", file=file,
                key=f"row {row}, column digest", mend="call them alike, or leave the digests out",
            )  # fmt: skip
    return found
