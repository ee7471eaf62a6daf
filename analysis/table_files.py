"""Reads event tables from files, streamed: CSV here, Parquet in ``table_parquet``."""

from __future__ import annotations

import csv
import io
from collections.abc import Sequence
from itertools import islice
from pathlib import Path
from typing import IO

from analysis.errors import InputError
from analysis.event_columns import COLUMNS, NAMES
from analysis.table import Builder

_CHUNK = 16_384
_NEEDED = [column.name for column in COLUMNS if column.needed]


def add_file(builder: Builder, path: Path) -> None:
    """Adds the rows of a file.

    Raises:
        InputError: it cannot be read, or a row is refused.
    """
    try:
        with open(path, "rb") as stream:
            start = stream.peek(4)[:4]
            if start == b"PAR1":
                from analysis.table_parquet import add_parquet

                add_parquet(builder, stream, str(path))
            else:
                _add_csv(
                    builder, stream, str(path), "utf-16" if start[:2] in (b"\xff\xfe", b"\xfe\xff") else "utf-8-sig"
                )
    except OSError as error:
        what = f"cannot be read ({error.strerror or error})"
        raise InputError(what, file=path, mend="check name and permissions") from None


def check_header(names: Sequence[str], file: str) -> None:
    """Refuses missing, unknown and repeated columns."""
    row = 1
    for name in names:
        if names.count(name) > 1:
            raise InputError("occurs twice", file=file, row=row, column=name, mend="remove one of them")
        if name not in NAMES:
            mend = f"remove or rename it; the columns are {', '.join(NAMES)}"
            raise InputError("is not a column of an event table", file=file, row=row, column=repr(name), mend=mend)
    for name in _NEEDED:
        if name not in names:
            raise InputError(
                "is missing", file=file, row=row, column=name, mend=f"add it; needed are {', '.join(_NEEDED)}"
            )


def _add_csv(builder: Builder, binary: IO[bytes], file: str, encoding: str) -> None:
    text = io.TextIOWrapper(binary, encoding=encoding, newline="")
    reader = csv.reader(text, strict=True)
    number = 1
    try:
        names = next(reader, None)
        if not names:
            raise InputError("is empty", file=file, mend="give a table with a header and at least one row")
        check_header(names, file)
        while rows := list(islice(reader, _CHUNK)):
            for part, offset in _parts(rows):
                for index, row in enumerate(part):
                    if len(row) != len(names):
                        _add_rows(builder, names, part[:index], file, number + 1 + offset)
                        what = f"has {len(row)} cells, and the header {len(names)}"
                        mend = "give every row a cell for every column; put texts with commas in quotes"
                        raise InputError(what, file=file, row=number + 1 + offset + index, mend=mend)
                _add_rows(builder, names, part, file, number + 1 + offset)
            number += len(rows)
    except UnicodeDecodeError as error:
        what = f"is not {error.encoding} text (byte {error.object[error.start]:#04x}: {error.reason})"
        raise InputError(what, file=file, mend="save it as UTF-8") from None
    except csv.Error as error:
        where = f"is not CSV near line {reader.line_num} ({error})"
        raise InputError(where, file=file, mend="check the quotes there") from None
    finally:
        text.detach()


def _parts(rows: list[list[str]]) -> list[tuple[list[list[str]], int]]:
    """The rows without blank lines, as runs, each with the offset at which it begins."""
    if all(rows):
        return [(rows, 0)]
    parts: list[tuple[list[list[str]], int]] = []
    for index, row in enumerate(rows):
        if row and (index == 0 or not rows[index - 1]):
            parts.append(([row], index))
        elif row:
            parts[-1][0].append(row)
    return parts


def _add_rows(builder: Builder, names: list[str], rows: list[list[str]], file: str, first: int) -> None:
    if rows:
        builder.add_cells(names, list(zip(*rows, strict=True)), file, first)
