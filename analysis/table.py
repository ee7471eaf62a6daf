"""The event table in memory: one compact array per column, one row per try."""

from __future__ import annotations

import csv
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import Any, NamedTuple, TextIO

import numpy as np
from numpy.typing import NDArray

from analysis.errors import InputError
from analysis.event_columns import COLUMNS, DTYPES, EVENTS, MISSING, NAMES, Bad, Column, Fault, Reader, in_range
from analysis.table_checks import check_attempts, row_fault

_EVENT_NAMES = {code: name for name, code in EVENTS.items()}
_CHUNK = 16_384


class Segment(NamedTuple):
    """From row ``start`` of a table on, rows stand in ``file`` from its row ``row`` on."""

    start: int
    file: str
    row: int


@dataclass(frozen=True)
class EventTable:
    """Tries as columns (about 80 bytes a row).

    Args:
        columns: name to array of shape (rows,): int32 codes for texts, int8 codes of ``cells`` for the event, int32 for
            whole numbers, float64 for amounts (US dollars, seconds), bool for ``valid``. MISSING and NaN are empty.
        values: for each text column the distinct texts that its codes number.
        segments: where the rows came from; empty once rows were chosen or moved.
    """

    columns: Mapping[str, NDArray[Any]]
    values: Mapping[str, tuple[str, ...]]
    segments: tuple[Segment, ...] = ()

    def __len__(self) -> int:
        return len(self.columns["event"])

    def __getitem__(self, name: str) -> NDArray[Any]:
        return self.columns[name]

    @classmethod
    def read(cls, files: Sequence[str | Path]) -> EventTable:
        """All rows of the files (CSV or Parquet, told apart by content), streamed.

        Raises:
            InputError: a file cannot be read, or any row is refused; names file, row, column, value and mend.
        """
        from analysis.table_files import add_file

        builder = Builder()
        paths = [Path(file) for file in files]
        for index, path in enumerate(paths):
            if path in paths[:index]:
                raise InputError("is given twice", file=path, mend="give it once")
            add_file(builder, path)
        return builder.table(", ".join(map(str, files)))

    @classmethod
    def from_rows(cls, rows: Iterable[Sequence[Any]], source: str) -> EventTable:
        """A table of tuples in the order of ``event_columns.NAMES``, None for empty, streamed.

        Args:
            source: what to call their place in messages, such as the database's name.
        """
        builder = Builder()
        stream, row = iter(rows), 1
        while chunk := list(islice(stream, _CHUNK)):
            builder.add_values(list(zip(*chunk, strict=True)), source, row)
            row += len(chunk)
        return builder.table(source)

    def place(self, index: int) -> tuple[str | None, int | None]:
        """File and row of a row, as far as known."""
        for segment in reversed(self.segments):
            if segment.start <= index:
                return segment.file, segment.row + index - segment.start
        return None, None

    def select(self, wanted: NDArray[Any]) -> EventTable:
        """The rows that a mask or an array of indices names, in that order."""
        return EventTable({name: column[wanted] for name, column in self.columns.items()}, self.values)

    def mask(self, **wanted: Iterable[str] | None) -> NDArray[np.bool_]:
        """Which rows have one of the given texts in each named column; None is no condition."""
        keep = np.ones(len(self), np.bool_)
        for name, texts in wanted.items():
            if texts is not None:
                codes = [code for code, text in enumerate(self.values[name]) if text in set(texts)]
                keep &= np.isin(self[name], codes)
        return keep

    def ranks(self, name: str) -> NDArray[np.int32]:
        """Codes of a text column replaced by ranks in code point order; MISSING stays."""
        values = self.values[name]
        ranks = np.full(len(values) + 1, MISSING, np.int32)
        ranks[sorted(range(len(values)), key=values.__getitem__)] = np.arange(len(values), dtype=np.int32)
        return ranks[self[name]]

    def order(self) -> NDArray[np.int64]:
        """Indices of the rows in the order of an export: stage, task, runtime, arm, repeat, try."""
        names = [self.ranks(name) for name in ("stage", "task", "runtime", "arm")]
        return np.lexsort((self["try"], self["repeat"], *reversed(names)))

    def canonical(self) -> EventTable:
        """The table in the order of an export."""
        return self.select(self.order())

    def rows(self) -> Iterator[tuple[Any, ...]]:
        """The rows as tuples in the order of ``event_columns.NAMES``, None for empty."""
        for start in range(0, len(self), _CHUNK):
            part = slice(start, start + _CHUNK)
            yield from zip(*(self._plain(column, part) for column in COLUMNS), strict=True)

    def write_csv(self, stream: TextIO) -> int:
        """Writes header and rows as ``restartlab export`` does (open files with ``newline=""``); how many rows."""
        writer = csv.writer(stream, lineterminator="\n")
        writer.writerow(NAMES)
        for row in self.rows():
            writer.writerow([_text(value) for value in row])
        return len(self)

    def _plain(self, column: Column, part: slice) -> list[Any]:
        values = self[column.name][part].tolist()
        if column.kind == "text":
            texts = [*self.values[column.name], None]
            return [texts[code] for code in values]
        if column.kind == "event":
            return [_EVENT_NAMES[code] for code in values]
        if column.kind == "amount":
            return [None if value != value else value for value in values]
        return values if column.filled else [None if value == MISSING else value for value in values]


class Builder:
    """Collects rows chunk by chunk; any bad one refuses the whole."""

    def __init__(self) -> None:
        self._readers = {column.name: Reader(column) for column in COLUMNS}
        self._chunks: dict[str, list[NDArray[Any]]] = {column.name: [] for column in COLUMNS}
        self._segments: list[Segment] = []
        self._count = 0

    def add_cells(self, names: Sequence[str], cells: Sequence[Sequence[str]], file: str, row: int) -> None:
        """Adds rows given as columns of text.

        Args:
            names: the columns that the file has.
            cells: their cells, shape (columns, rows).
            row: row of the first one in the file.

        Raises:
            InputError: a row is refused.
        """
        chunk: dict[str, NDArray[Any]] = {}
        faults = []
        for name, column in zip(names, cells, strict=True):
            found = self._readers[name].read(column)
            if isinstance(found, Fault):
                if name == "call" and not column[found.at]:
                    event = cells[list(names).index("event")][found.at]
                    found = found._replace(what=f"is empty: {event} without a call", mend="write the call of the event")
                faults.append(found)
            else:
                chunk[name] = found
        self._take(chunk, faults, len(cells[0]), file, row)

    def add_values(self, values: Sequence[Sequence[Any]], file: str, row: int) -> None:
        """Adds rows given as columns of plain values, all of ``event_columns.NAMES``; as ``add_cells``."""
        chunk: dict[str, NDArray[Any]] = {}
        faults = []
        for column, items in zip(COLUMNS, values, strict=True):
            try:
                chunk[column.name] = self._typed(column, items)
            except Bad as bad:
                # An empty text can have been given as None.
                first = next(i for i, item in enumerate(items) if item == bad.value or (not bad.value and not item))
                faults.append(Fault(first, column.name, bad.what, bad.mend))
        self._take(chunk, faults, len(values[0]), file, row)

    def add_arrays(self, chunk: dict[str, NDArray[Any]], faults: list[Fault], count: int, file: str, row: int) -> None:
        """Adds rows whose cells were read already; as ``add_cells``."""
        self._take(chunk, faults, count, file, row)

    def reader(self, name: str) -> Reader:
        """The reader of a column, whose codes of texts all chunks share."""
        return self._readers[name]

    def table(self, source: str) -> EventTable:
        """All rows, once the attempts that they make up are checked too.

        Args:
            source: what to call the place of all of them in messages.

        Raises:
            InputError: no rows, a key that occurs twice, a second valid try, tries of one attempt that disagree.
        """
        if not self._count:
            raise InputError("there are no rows", file=source, mend="give a table that holds at least one try")
        columns = {}
        for column in COLUMNS:
            # Chunk lists go as they are joined, so that at most one column is held twice.
            columns[column.name] = np.concatenate(self._chunks.pop(column.name))
        texts = {
            name: tuple(reader.texts.distinct) for name, reader in self._readers.items() if reader.texts is not None
        }
        table = EventTable(columns, texts, tuple(self._segments))
        check_attempts(table)
        return table

    def _typed(self, column: Column, items: Sequence[Any]) -> NDArray[Any]:
        reader = self._readers[column.name]
        if column.kind == "amount":
            values = np.array([np.nan if item is None else item for item in items], np.float64)
            wrong = np.isinf(values) | (values < 0)
            if wrong.any():
                item = items[int(wrong.argmax())]
                raise Bad(item, f"{item} is not a finite number of 0 or more", "leave it empty if unknown")
            return values
        if column.kind == "whole":
            wholes = np.array([MISSING if item is None else item for item in items], np.int64)
            if column.filled or wholes.max(initial=0) >= 2**31 or wholes.min(initial=0) < MISSING:
                for item in set(items) - ({None} if not column.filled else set()):
                    in_range(MISSING if item is None else item, column, item)
            return wholes.astype(np.int32)
        if column.kind == "flag":
            return np.array(items, np.bool_)
        return np.fromiter((reader.memo[item or ""] for item in items), DTYPES[column.kind], len(items))

    def _take(self, chunk: dict[str, NDArray[Any]], faults: list[Fault], count: int, file: str, row: int) -> None:
        if not faults:
            for column in COLUMNS:
                if column.name not in chunk:
                    chunk[column.name] = self._absent(column, count)
            texts = {name: reader.texts.distinct for name, reader in self._readers.items() if reader.texts is not None}
            fault = row_fault(chunk, texts)
            faults = [fault] if fault else []
        if faults:
            first = min(faults, key=lambda fault: (fault.at, NAMES.index(fault.column)))
            raise InputError(first.what, file=file, row=row + first.at, column=first.column, mend=first.mend)
        for name, values in chunk.items():
            self._chunks[name].append(values)
        last = self._segments[-1] if self._segments else None
        if last is None or last.file != file or last.row + self._count - last.start != row:
            self._segments.append(Segment(self._count, file, row))
        self._count += count

    def _absent(self, column: Column, count: int) -> NDArray[Any]:
        texts = self._readers[column.name].texts
        value = MISSING if column.absent is None else column.absent if texts is None else texts[column.absent]
        return np.full(count, value, DTYPES[column.kind])


def _text(value: Any) -> str:
    if value is None:
        return ""
    if isinstance(value, bool):
        return "true" if value else "false"
    return repr(value) if isinstance(value, float) else str(value)
