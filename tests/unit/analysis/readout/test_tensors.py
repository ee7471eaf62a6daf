"""Outcome tensors from files: read whole, or refused with the place and the mend."""

from __future__ import annotations

import random
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from made_panels import panels, tensor_rows, tensor_table

from analysis.errors import InputError
from analysis.readout.panel import Panel, panel_of
from analysis.readout.tensor_csv import tensor_csv
from analysis.readout.tensor_file import read_panels
from analysis.readout.tensor_rows import panels_of_rows

SCORES = np.random.default_rng(7).integers(0, 2, (4, 3, 6)).astype(float)


def written(tmp_path: Path, rows: Any, name: str = "tensor.csv") -> Path:
    file = tmp_path / name
    file.write_text(tensor_table(list(rows)), encoding="utf-8", newline="")
    return file


def same(one: Panel, other: Panel) -> bool:
    plain = ("checkpoints", "actions", "repeats", "tasks", "strata", "keys", "runtime", "stage", "origin")
    arrays = ("select", "evaluate", "provenance", "calls", "cost_usd")
    return all(getattr(one, name) == getattr(other, name) for name in plain) and all(
        (getattr(one, name) is None) == (getattr(other, name) is None)
        and (getattr(one, name) is None or np.array_equal(getattr(one, name), getattr(other, name), equal_nan=True))
        for name in arrays
    )


def test_a_table_becomes_a_panel(tmp_path: Path) -> None:
    rows = list(tensor_rows(SCORES, runtime="luna", provenance="native_verifier_observed", calls=7, stratum="small"))
    random.Random(1).shuffle(rows)
    rows.sort(key=lambda row: ["retry", "verify", "replace"].index(row["action"]))
    (panel,) = read_panels(written(tmp_path, rows))
    assert (panel.shape, panel.actions, panel.runtime) == ((4, 3, 6), ("retry", "verify", "replace"), "luna")
    assert np.array_equal(panel.select, SCORES)
    assert np.array_equal(panel.evaluate, SCORES)
    assert panel.calls is not None and (panel.calls == 7).all()
    assert panel.cost_usd is None
    assert panel.strata == ("small",) * 4
    assert panel.provenance is not None and not panel.provenance.any()
    assert panel.origin == "imported"


def test_runtimes_are_panels_of_their_own(tmp_path: Path) -> None:
    rows = [*tensor_rows(SCORES, runtime="sol"), *tensor_rows(1 - SCORES, runtime="luna")]
    luna, sol = read_panels(written(tmp_path, rows))
    assert (luna.runtime, sol.runtime) == ("luna", "sol")
    assert np.array_equal(luna.select, 1 - sol.select)


@settings(max_examples=30, deadline=None)
@given(panels(), st.sampled_from(["synthetic", "collected"]), st.booleans())
def test_what_is_written_reads_back(panel: Panel, origin: str, rich: bool) -> None:
    count = panel.shape[0]
    if rich:
        panel = replace(
            panel, provenance=np.ones(panel.shape, np.int8), calls=np.full(panel.shape, 3.0),
            cost_usd=np.where(panel.select > 0, 0.125, np.nan) if panel.select.any() else None,
            tasks=tuple(f"t{i // 2}" for i in range(count)), strata=("a",) * count, keys=("live",) * count,
        )  # fmt: skip
    panel = replace(panel, runtime="r", stage="s", origin=origin)
    import csv
    import io

    (again,) = panels_of_rows(csv.DictReader(io.StringIO(tensor_csv([panel]))), "text")
    assert same(panel, again)


def test_parquet_is_the_same_table(tmp_path: Path) -> None:
    pa = pytest.importorskip("pyarrow")
    import pyarrow.parquet as pq

    rows = list(tensor_rows(SCORES, runtime="luna", cost_usd=None))
    file = tmp_path / "tensor.parquet"
    pq.write_table(pa.Table.from_pylist(rows), file)
    (panel,) = read_panels(file)
    (other,) = read_panels(written(tmp_path, rows))
    assert same(panel, other)


def test_arrays(tmp_path: Path) -> None:
    file, judged = tmp_path / "tensor.npy", tmp_path / "strict.npy"
    np.save(file, SCORES.astype(np.int8))
    np.save(judged, np.zeros_like(SCORES))
    (panel,) = read_panels(file, judged, ["retry", "verify", "replace"])
    assert np.array_equal(panel.select, SCORES)
    assert not panel.evaluate.any()
    assert panel.actions == ("retry", "verify", "replace")
    assert panel.provenance is None
    np.save(file, np.stack([SCORES, SCORES]))
    assert [one.runtime for one in read_panels(file)] == ["runtime 1", "runtime 2"]


def refused(tmp_path: Path, rows: Any) -> str:
    with pytest.raises(InputError) as error:
        read_panels(written(tmp_path, rows))
    return str(error.value)


def test_a_hole_is_refused_by_name(tmp_path: Path) -> None:
    rows = [row for row in tensor_rows(SCORES, runtime="luna")
            if (row["checkpoint"], row["action"], row["repeat"]) != ("c2", "verify", 5)]  # fmt: skip
    said = refused(tmp_path, rows)
    assert "checkpoint c2, action verify, repeat 5 of luna is missing" in said
    assert "mend: complete it" in said
    holed = SCORES.copy()
    holed[1, 2, 3] = np.nan
    np.save(tmp_path / "holed.npy", holed)
    with pytest.raises(InputError, match="checkpoint checkpoint 2, action action 3, repeat 3: select is missing"):
        read_panels(tmp_path / "holed.npy")


@settings(max_examples=30, deadline=None)
@given(panels(most=4), st.data())
def test_any_hole_is_refused(panel: Panel, data: st.DataObject) -> None:
    rows = list(tensor_rows(panel.select, panel.actions))
    gone = rows.pop(data.draw(st.integers(0, len(rows) - 1)))
    if all(any(row[name] == gone[name] for row in rows) for name in ("checkpoint", "action", "repeat")):
        with pytest.raises(InputError, match=f"action {gone['action']}, repeat {gone['repeat']} is missing"):
            panels_of_rows(rows, "rows")


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"select": 1.5}, "row 2, column select: '1.5' is outside [0, 1]"),
        ({"select": ""}, "row 2, column select: is empty"),
        ({"select": "nan"}, "row 2, column select: 'nan' is not a number"),
        ({"select": "yes"}, "row 2, column select: 'yes' is not a number"),
        ({"repeat": 0.5}, "row 2, column repeat: '0.5' is not a whole number"),
        ({"repeat": 1}, "checkpoint c0, action retry, repeat 1 is also row 2"),
        ({"action": " "}, "row 2, column action: is empty"),
        ({"provenance": "seen"}, "column provenance: 'seen' is not a provenance"),
        ({"calls": -1}, "column calls: '-1' is negative"),
        ({"task": "other"}, "'one' is not 'other', which another row says of checkpoint c0"),
        ({"origin": "made"}, "'made' is not an origin"),
        ({"origin": "synthetic"}, "'imported' is not 'synthetic'"),
    ],
)
def test_bad_cells_are_refused_with_their_place(tmp_path: Path, change: dict[str, Any], said: str) -> None:
    rows = list(tensor_rows(SCORES, task="one", provenance="", calls="", origin="imported"))
    rows[0] |= change
    assert said in refused(tmp_path, rows)


def test_bad_files_are_refused(tmp_path: Path) -> None:
    rows = list(tensor_rows(SCORES))
    assert "'score'" in refused(tmp_path, [row | {"score": 1} for row in rows])
    assert "column repeat: is missing" in refused(tmp_path, [{k: v for k, v in row.items() if k != "repeat"}
                                                             for row in rows])  # fmt: skip
    for name, content, said in (
        ("empty.csv", b"checkpoint,action,repeat,select\n", "has no episodes"),
        ("bytes.csv", b"\xff\x00\x01", "is not utf-8 text"),
        ("short.csv", b"checkpoint,action,repeat,select\nc0,a\n", "row 2: has 2 cells, and the header 4"),
        ("odd.npy", b"\x93NUMPY\x01\x00", "is not a readable NPY array"),
        ("odd.parquet", b"PAR1 and nothing more", "is not readable Parquet"),
    ):
        (tmp_path / name).write_bytes(content)
        with pytest.raises(InputError, match=said):
            read_panels(tmp_path / name)
    with pytest.raises(InputError, match="cannot be read"):
        read_panels(tmp_path / "none.csv")
    np.save(tmp_path / "flat.npy", SCORES[0])
    with pytest.raises(InputError, match=r"shape \(3, 6\)"):
        read_panels(tmp_path / "flat.npy")
    np.save(tmp_path / "text.npy", np.array([[["a"]]]))
    with pytest.raises(InputError, match="is an array of <U1"):
        read_panels(tmp_path / "text.npy")


def test_options_of_arrays_are_refused_for_tables(tmp_path: Path) -> None:
    file = written(tmp_path, tensor_rows(SCORES))
    with pytest.raises(InputError, match="--actions: is for arrays"):
        read_panels(file, actions=["a", "b", "c"])


@pytest.mark.parametrize("shape", [(0, 3, 8), (2, 1, 8), (2, 3, 1), (2, 9, 8)])
def test_what_is_no_panel_is_refused(shape: tuple[int, int, int]) -> None:
    with pytest.raises(InputError):
        panel_of(np.zeros(shape))
