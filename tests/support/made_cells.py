"""Cells for tests of the analysis: from rows, from the golden event table, at random."""

from __future__ import annotations

import csv
import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
from hypothesis import strategies as st

from analysis.cells import CENSORED, TERMINAL, VERIFIED, Cell, CellKey

DATA = Path(__file__).resolve().parents[1] / "goldens" / "data"
EVENTS = {"verified": VERIFIED, "terminal": TERMINAL, "censored": CENSORED}


def cell(
    attempts: Sequence[tuple[int, int]], *, horizon: int = 30, task: str = "one", runtime: str = "r", arm: str = "a",
    stage: str = "s",
) -> Cell:  # fmt: skip
    """A cell of (event code, call) attempts."""
    columns = np.array(list(attempts), dtype=np.int64).reshape(-1, 2)
    return Cell(
        CellKey(stage, "d", "imported", runtime, arm, task),
        columns[:, 0].astype(np.int8),
        columns[:, 1],
        np.full(len(columns), horizon, dtype=np.int64),
        np.arange(1, len(columns) + 1),
    )


def golden_cells(*stages: str) -> list[Cell]:
    """Cells of the golden event table (150 attempts, a reconstruction), read without the product's reader."""
    groups: dict[CellKey, list[dict[str, str]]] = {}
    with open(DATA / "timing_attempts.csv", encoding="utf-8", newline="") as stream:
        for row in csv.DictReader(stream):
            if row["stage"] in stages:
                key = CellKey(row["stage"], "", "reconstructed", row["runtime"], row["arm"], row["task"])
                groups.setdefault(key, []).append(row)
    return [
        Cell(
            key,
            np.array([EVENTS[row["event"]] for row in rows], dtype=np.int8),
            np.array([int(row["call"]) for row in rows], dtype=np.int64),
            np.array([int(row["horizon"]) for row in rows], dtype=np.int64),
            np.array([int(row["repeat"]) for row in rows], dtype=np.int64),
        )
        for key, rows in groups.items()
    ]


def golden_rows(name: str) -> dict[str, dict[str, Any]]:
    """Rows of timing_published.json or timing_values.json by their name."""
    rows = json.loads((DATA / f"{name}.json").read_text(encoding="utf-8"))
    return {row.get("quantity") or row["key"]: row for row in rows}


def attempts(horizon: int = 12, largest: int = 12) -> st.SearchStrategy[list[tuple[int, int]]]:
    """Attempts that are all observed through the horizon."""
    ended = st.tuples(st.sampled_from([VERIFIED, TERMINAL]), st.integers(1, horizon))
    return st.lists(st.one_of(ended, st.just((CENSORED, horizon))), max_size=largest)
