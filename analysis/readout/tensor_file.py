"""Reads outcome tensors from CSV, Parquet or NPY files."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from analysis.errors import InputError
from analysis.readout.panel import Matrix, Panel, panel_of
from analysis.readout.tensor_columns import check_header
from analysis.readout.tensor_rows import panels_of_rows


def read_panels(path: Path, evaluate: Path | None = None, actions: Sequence[str] | None = None) -> list[Panel]:
    """The panels of a file, one per stage and runtime.

    Args:
        path: a table (CSV or Parquet) with the columns of ``tensor_columns``; or an array (NPY) of shape (checkpoints,
            actions, repeats) or (runtimes, checkpoints, actions, repeats), which has no names and no provenance.
        evaluate: the evaluator's scores beside an array, NPY of the same shape.
        actions: names of an array's actions.

    Raises:
        InputError: the file cannot be read, or is no complete tensor.
    """
    try:
        with open(path, "rb") as stream:
            start = stream.read(6)
    except OSError as error:
        what = f"cannot be read ({error.strerror or error})"
        raise InputError(what, file=path, mend="check name and permissions") from None
    if start == b"\x93NUMPY":
        return _arrays(path, evaluate, actions)
    for given, option in ((evaluate, "--evaluate"), (actions, "--actions")):
        if given is not None:
            raise InputError("is for arrays; a table has it in a column", file=option, mend="leave it out")
    if start[:4] == b"PAR1":
        return panels_of_rows(_parquet(path), path)
    encoding = "utf-16" if start[:2] in (b"\xff\xfe", b"\xfe\xff") else "utf-8-sig"
    return panels_of_rows(_csv(path, encoding), path)


def _csv(path: Path, encoding: str) -> Iterator[dict[str, Any]]:
    try:
        text = path.read_text(encoding=encoding)
    except UnicodeDecodeError as error:
        what = f"is not {error.encoding} text (byte {error.object[error.start]:#04x}: {error.reason})"
        raise InputError(what, file=path, mend="save it as UTF-8, or give Parquet or NPY") from None
    reader = csv.reader(io.StringIO(text, newline=""), strict=True)
    try:
        names = next(reader, [])
        check_header(names, path)
        for index, row in enumerate(reader, 2):
            if row and len(row) != len(names):
                what = f"has {len(row)} cells, and the header {len(names)}"
                raise InputError(what, file=path, row=index, mend="give every row a cell for every column")
            if row:
                yield dict(zip(names, row, strict=True))
    except csv.Error as error:
        what = f"is not CSV near line {reader.line_num} ({error})"
        raise InputError(what, file=path, mend="check the quotes there") from None


def _parquet(path: Path) -> Iterator[dict[str, Any]]:
    try:
        import pyarrow as pa
        import pyarrow.parquet as pq
    except ImportError:
        raise InputError("Parquet needs pyarrow", file=path, mend="install restartlab[report], or give CSV") from None
    try:
        # From the open file: a path would be taken for a partitioned data set's.
        with open(path, "rb") as stream:
            table = pq.ParquetFile(stream).read()
        check_header(table.schema.names, path)
        yield from table.to_pylist()
    except pa.ArrowException as error:
        raise InputError(f"is not readable Parquet ({error})", file=path, mend="write it anew, or give CSV") from None


def _arrays(path: Path, evaluate: Path | None, actions: Sequence[str] | None) -> list[Panel]:
    select = _array(path)
    judged = select if evaluate is None else _array(evaluate)
    if judged.shape != select.shape:
        what = f"has shape {judged.shape}, and {path} {select.shape}"
        raise InputError(what, file=evaluate, mend="give both the same shape")
    if select.ndim == 3:
        return [panel_of(select, judged, actions=actions)]
    digits = len(str(len(select)))
    return [
        replace(panel_of(one, other, actions=actions), runtime=f"runtime {place:0{digits}}")
        for place, (one, other) in enumerate(zip(select, judged, strict=True), 1)
    ]


def _array(path: Path) -> Matrix:
    try:
        found = np.load(path, allow_pickle=False)
    except (OSError, ValueError, EOFError) as error:
        what = f"is not a readable NPY array ({error})"
        raise InputError(what, file=path, mend="write it with numpy.save, without objects") from None
    if found.dtype.kind not in "biuf" or found.ndim not in (3, 4) or 0 in found.shape:
        what = f"is an array of {found.dtype} with shape {found.shape}"
        mend = "give numbers: checkpoint x action x repeat, or runtime x checkpoint x action x repeat"
        raise InputError(what, file=path, mend=mend)
    return np.asarray(found, np.float64)
