"""Reads event tables from Parquet, streamed; values are converted exactly or refused."""

from __future__ import annotations

from typing import IO, Any

import numpy as np
from numpy.typing import NDArray

from analysis.errors import InputError
from analysis.event_columns import COLUMNS, EVENTS, MISSING, Bad, Column, Fault, in_range
from analysis.table import Builder
from analysis.table_files import check_header

_ROWS = 65_536


class _BadAt(Exception):
    """A refused cell by its position in the batch."""

    def __init__(self, at: int, what: str, mend: str):
        self.at, self.what, self.mend = at, what, mend
        super().__init__(what)


def add_parquet(builder: Builder, binary: IO[bytes], file: str) -> None:
    """Adds the rows of a Parquet file.

    Raises:
        InputError: pyarrow is not installed, the file cannot be read, or a row is refused.
    """
    try:
        import pyarrow as pa
        import pyarrow.parquet as pq
    except ImportError:
        raise InputError("Parquet needs pyarrow", file=file, mend="install restartlab[report], or give CSV") from None
    try:
        parquet = pq.ParquetFile(binary)
        names = parquet.schema_arrow.names
        check_header(names, file)
        row = 1
        for batch in parquet.iter_batches(batch_size=_ROWS):
            _add_batch(builder, batch, names, file, row)
            row += batch.num_rows
    except pa.ArrowException as error:
        raise InputError(f"is not readable Parquet ({error})", file=file, mend="write it anew, or give CSV") from None


def _add_batch(builder: Builder, batch: Any, names: list[str], file: str, row: int) -> None:
    chunk: dict[str, NDArray[Any]] = {}
    faults: list[Fault] = []
    for column in COLUMNS:
        if column.name in names:
            try:
                chunk[column.name] = _values(builder, column, batch.column(column.name))
            except _BadAt as bad:
                faults.append(Fault(bad.at, column.name, bad.what, bad.mend))
    if batch.num_rows:
        builder.add_arrays(chunk, faults, batch.num_rows, file, row)


def _values(builder: Builder, column: Column, array: Any) -> NDArray[Any]:
    import pyarrow as pa

    types = pa.types
    if types.is_null(array.type):
        array = array.cast(
            {"text": pa.string(), "event": pa.string(), "flag": pa.bool_()}.get(column.kind, pa.float64())
        )
    if column.filled and array.null_count:
        raise _BadAt(int(np.asarray(array.is_null()).argmax()), "is empty", "fill it in")
    if column.kind in ("text", "event"):
        return _texts(builder, column, array)
    if column.kind == "flag":
        if not types.is_boolean(array.type):
            raise _BadAt(0, f"has type {array.type}", "write booleans")
        return np.asarray(array)
    if not (types.is_integer(array.type) or types.is_floating(array.type)):
        raise _BadAt(0, f"has type {array.type}", "write numbers")
    return _wholes(column, array) if column.kind == "whole" else _amounts(array)


def _wholes(column: Column, array: Any) -> NDArray[np.int32]:
    import pyarrow as pa
    import pyarrow.compute as pc

    if pa.types.is_floating(array.type):
        # So pandas writes whole numbers of which some are missing.
        array = pc.if_else(pc.is_nan(array), pa.scalar(None, array.type), array)
        odd = np.asarray(pc.fill_null(pc.not_equal(pc.round(array), array), False))
        if odd.any():
            at = int(odd.argmax())
            raise _BadAt(at, f"{array[at].as_py()} is not a whole number", "write whole numbers")
    empty = np.asarray(array.is_null())
    if column.filled and empty.any():
        raise _BadAt(int(empty.argmax()), "is empty", "fill it in")
    numbers = np.asarray(array.fill_null(column.least))
    wrong = (numbers < column.least) | (numbers >= 2**31)
    if wrong.any():
        at = int(wrong.argmax())
        try:
            in_range(int(numbers[at]), column, int(numbers[at]))
        except Bad as bad:
            raise _BadAt(at, bad.what, bad.mend) from None
    values = numbers.astype(np.int32)
    values[empty] = MISSING
    return values


def _amounts(array: Any) -> NDArray[np.float64]:
    import pyarrow as pa

    empty = np.asarray(array.is_null())
    amounts = np.asarray(array.cast(pa.float64(), safe=False).fill_null(0.0)).copy()
    wrong = ~np.isfinite(amounts) | (amounts < 0)
    if wrong.any():
        at = int(wrong.argmax())
        raise _BadAt(at, f"{amounts[at]} is not a finite number of 0 or more", "leave it null if unknown")
    amounts[empty] = np.nan
    return amounts


def _texts(builder: Builder, column: Column, array: Any) -> NDArray[Any]:
    import pyarrow as pa

    empty = np.asarray(array.is_null())
    if not pa.types.is_dictionary(array.type):
        if not (pa.types.is_string(array.type) or pa.types.is_large_string(array.type)):
            raise _BadAt(0, f"has type {array.type}", "write strings")
        array = array.dictionary_encode()
    where = np.where(empty, -1, np.asarray(array.indices.fill_null(0)))
    codes = [MISSING] * (len(array.dictionary) + 1)
    for code, text in enumerate(array.dictionary.to_pylist()):
        at = np.flatnonzero(where == code)
        if len(at):
            codes[code] = _code(builder, column, text, int(at[0]))
    return np.array(codes, np.int8 if column.kind == "event" else np.int32)[where]


def _code(builder: Builder, column: Column, text: str, at: int) -> int:
    """The code of a text that stands first at ``at``."""
    if column.kind == "event":
        if text not in EVENTS:
            raise _BadAt(at, f"{text!r} is not an event", f"write one of {', '.join(EVENTS)}")
        return EVENTS[text]
    texts = builder.reader(column.name).texts
    assert texts is not None
    try:
        return texts[text]
    except Bad as bad:
        raise _BadAt(at, bad.what, bad.mend) from None
