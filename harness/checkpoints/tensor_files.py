"""Writes an outcome tensor: a table (CSV, Parquet), or an array (NPY) with its names beside it."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from harness.checkpoints.tensor import COLUMNS
from harness.errors import InputError
from harness.temporary import write_whole

Row = Mapping[str, Any]


def write_tensor(rows: Sequence[Row], out: Path) -> list[Path]:
    """Writes the rows to ``out``, by its ending; the files that were written.

    An array has shape (checkpoints, actions, repeats) and holds the scores of one runtime; its axes are named in
    ``OUT.json``.

    Raises:
        InputError: an unknown ending, several runtimes in an array, or a library that is missing.
    """
    match out.suffix.lower():
        case ".csv":
            files = {out: _csv(rows)}
        case ".parquet":
            files = {out: _parquet(rows, out)}
        case ".npy":
            files = _npy(rows, out)
        case ending:
            raise InputError(f"{ending or 'no'} ending", file=out, mend="end the name in .csv, .parquet or .npy")
    out.parent.mkdir(parents=True, exist_ok=True)
    for path, data in files.items():
        write_whole(path, data, path.parent)
    return list(files)


def _csv(rows: Sequence[Row]) -> bytes:
    text = io.StringIO(newline="")
    writer = csv.DictWriter(text, COLUMNS, lineterminator="\n")
    writer.writeheader()
    writer.writerows({name: "" if value is None else value for name, value in row.items()} for row in rows)
    return text.getvalue().encode()


def _parquet(rows: Sequence[Row], out: Path) -> bytes:
    try:
        import pyarrow as pa
        import pyarrow.parquet as pq
    except ImportError:
        raise InputError("Parquet needs pyarrow", file=out, mend="install pyarrow, or write CSV") from None
    kinds = dict.fromkeys(("repeat", "calls"), pa.int64())
    kinds |= dict.fromkeys(("select", "evaluate", "cost_usd"), pa.float64())
    schema = pa.schema([(name, kinds.get(name, pa.string())) for name in COLUMNS])
    columns = {name: [row.get(name) for row in rows] for name in COLUMNS}
    sink = io.BytesIO()
    pq.write_table(pa.table(columns, schema=schema), sink)
    return sink.getvalue()


def _npy(rows: Sequence[Row], out: Path) -> dict[Path, bytes]:
    import numpy as np

    runtimes = list(dict.fromkeys(row["runtime"] for row in rows))
    if len(runtimes) > 1:
        what = f"an array holds one runtime, not {', '.join(runtimes)}"
        raise InputError(what, file=out, mend=f"--runtime {runtimes[0]}, or write a table")
    axes = {name: list(dict.fromkeys(row[name] for row in rows)) for name in ("checkpoint", "action", "repeat")}
    shape = tuple(len(names) for names in axes.values())
    place = {name: {value: i for i, value in enumerate(names)} for name, names in axes.items()}
    scores = np.full(shape, np.nan)
    for row in rows:
        scores[tuple(place[name][row[name]] for name in axes)] = row["select"]
    sink = io.BytesIO()
    np.save(sink, scores)
    named = {"stage": rows[0]["stage"], "runtime": runtimes[0], **axes}
    return {out: sink.getvalue(), out.with_name(out.name + ".json"): (json.dumps(named) + "\n").encode()}
