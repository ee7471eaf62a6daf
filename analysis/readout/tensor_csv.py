"""Writes panels as a table that reads back as the same panels."""

from __future__ import annotations

import csv
import io
from collections.abc import Sequence
from typing import Any

import numpy as np

from analysis.readout.panel import STATUSES, Matrix, Panel
from analysis.readout.tensor_columns import COLUMNS


def tensor_csv(panels: Sequence[Panel]) -> str:
    """One row per episode, with the columns of ``COLUMNS``; what is not known is empty."""
    text = io.StringIO(newline="")
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(COLUMNS)
    for panel in panels:
        for c, a, r in np.ndindex(panel.shape):
            row: dict[str, Any] = {
                "checkpoint": panel.checkpoints[c], "action": panel.actions[a], "repeat": panel.repeats[r],
                "select": _number(panel.select, c, a, r), "evaluate": _number(panel.evaluate, c, a, r),
                "task": panel.tasks[c] if panel.tasks else "", "stratum": panel.strata[c] if panel.strata else "",
                "key": panel.keys[c] if panel.keys else "", "stage": panel.stage, "runtime": panel.runtime,
                "origin": panel.origin,
                "provenance": "" if panel.provenance is None else STATUSES[panel.provenance[c, a, r]],
                "calls": _number(panel.calls, c, a, r), "cost_usd": _number(panel.cost_usd, c, a, r),
            }  # fmt: skip
            writer.writerow([row[name] for name in COLUMNS])
    return text.getvalue()


def _number(values: Matrix | None, *place: int) -> str:
    """The shortest text that reads back as the same number; empty if unknown."""
    value = float("nan") if values is None else float(values[place])
    if value != value:
        return ""
    return str(int(value)) if value == int(value) else repr(value)
