"""Success of one attempt within the budget when tries lost to infrastructure are dropped, failures, or censored."""

from __future__ import annotations

from typing import Any

import numpy as np

from analysis.cells import CENSORED, TERMINAL, VERIFIED, Cell, CellKey
from analysis.event_columns import MISSING
from analysis.incidence import LABEL, aalen_johansen
from analysis.report.cohorts import Counted, by_task
from analysis.table import EventTable

#: Name of a convention, and the event that it makes of an excluded try (None: it is left out).
CONVENTIONS = {"dropped": None, "failures": TERMINAL, "censored": CENSORED}


def conventions(counted: Counted, budget: int) -> list[dict[str, Any]]:
    """One row per convention: the mean over tasks of P(T <= budget).

    ``value`` is null where cut-off tries leave it open; it then lies between ``at_least`` (none of them would have
    passed) and ``at_most`` (all would). ``incidence`` is the Aalen-Johansen estimate for that case, which assumes that
    being cut off says nothing about the outcome.

    Raises:
        InputError: an Aalen-Johansen estimate is due, and lifelines is not installed.
    """
    found = []
    for name, event in CONVENTIONS.items():
        cells = _cells(counted.rows, event)
        row: dict[str, Any] = {"convention": name, "tasks": len(cells), "tries": sum(cell.n for cell in cells)}
        row |= {"verified": sum(int((cell.event == VERIFIED).sum()) for cell in cells)}
        bounds = np.array([_bounds(cell, budget) for cell in cells]).reshape(-1, 2)
        low, high = bounds.mean(axis=0).tolist() if cells else (None, None)
        row |= {"value": low if low == high else None, "at_least": low, "at_most": high, "incidence": None}
        if low != high:
            row["incidence"] = {"method": LABEL, "value": float(np.mean([_incidence(cell, budget) for cell in cells]))}
        found.append(row)
    return found


def _cells(rows: EventTable, event: int | None) -> list[Cell]:
    """A cell per task, in which each excluded try is an attempt that ended in ``event``."""
    kept = rows.select(rows["valid"]) if event is None else rows
    cells = []
    for task, mine in by_task(kept):
        lost = MISSING if event is None else event  # never used if none is kept
        events = np.where(mine["valid"], mine["event"], lost).astype(np.int8)
        key = CellKey("", "", "", "", "", task)
        cells.append(Cell(key, events, mine["call"].astype(np.int64), mine["horizon"].astype(np.int64)))
    return cells


def _bounds(cell: Cell, budget: int) -> tuple[float, float]:
    passed = (cell.event == VERIFIED) & (cell.call <= budget)
    cut = (cell.event == CENSORED) & (cell.call < budget)
    return float(passed.sum() / cell.n), float((passed | cut).sum() / cell.n)


def _incidence(cell: Cell, budget: int) -> float:
    curve = aalen_johansen(cell).verified
    return float(curve[min(budget, len(curve) - 1)])
