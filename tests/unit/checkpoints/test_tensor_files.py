"""A tensor as table and as array."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from analysis.readout.tensor_file import read_panels
from harness.checkpoints.tensor_files import write_tensor
from harness.errors import InputError


def row(checkpoint: str, action: str, repeat: int, score: int, **more: Any) -> dict[str, Any]:
    return {
        "checkpoint": checkpoint, "task": f"task-{checkpoint}", "runtime": "scripted", "action": action,
        "repeat": repeat, "select": score, "evaluate": score, "provenance": "native_verifier_observed", "calls": 3,
        "cost_usd": None, "stage": "checks", "origin": "synthetic", "key": "live", **more,
    }  # fmt: skip


SCORES = np.array([[[1, 0, 1], [0, 0, 0]], [[0, 1, 0], [1, 1, 1]]], dtype=float)
ROWS = [
    row(f"c{c}", action, r + 1, int(SCORES[c, a, r]))
    for c in range(2) for a, action in enumerate(("restart", "continue")) for r in range(3)
]  # fmt: skip


@pytest.mark.parametrize("ending", ["csv", "parquet"])
def test_a_table_reads_back_as_the_panel(tmp_path: Path, ending: str) -> None:
    if ending == "parquet":
        pytest.importorskip("pyarrow")
    (file,) = write_tensor(ROWS, tmp_path / f"t.{ending}")
    (panel,) = read_panels(file, None, None)
    assert panel.actions == ("restart", "continue") and panel.runtime == "scripted" and panel.origin == "synthetic"
    assert np.array_equal(panel.evaluate, SCORES)


def test_the_table_begins_with_the_promised_columns(tmp_path: Path) -> None:
    (file,) = write_tensor(ROWS, tmp_path / "t.csv")
    head = "checkpoint,task,runtime,action,repeat,select,evaluate,provenance,calls,cost_usd"
    lines = file.read_text().splitlines()
    assert lines[0].startswith(head)
    assert lines[1].startswith("c0,task-c0,scripted,restart,1,1,1,native_verifier_observed,3,,")


def test_an_array_has_its_names_beside_it(tmp_path: Path) -> None:
    array, named = write_tensor(ROWS, tmp_path / "t.npy")
    assert np.array_equal(np.load(array), SCORES)
    assert json.loads(named.read_text()) == {
        "stage": "checks", "runtime": "scripted", "checkpoint": ["c0", "c1"], "action": ["restart", "continue"],
        "repeat": [1, 2, 3],
    }  # fmt: skip


def test_two_runtimes_are_no_array_and_an_unknown_ending_no_file(tmp_path: Path) -> None:
    both = [*ROWS, *(one | {"runtime": "other"} for one in ROWS)]
    with pytest.raises(InputError, match="one runtime"):
        write_tensor(both, tmp_path / "t.npy")
    with pytest.raises(InputError, match=r"\.xlsx"):
        write_tensor(ROWS, tmp_path / "t.xlsx")
    assert list(tmp_path.iterdir()) == []
