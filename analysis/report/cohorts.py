"""Cohorts of a study, counted: outcomes per task, reasons, calls, cost and wall time. Never pooled with one another."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from analysis.cells import CENSORED, TERMINAL, VERIFIED, Cell, cells_of
from analysis.event_columns import EVENTS
from analysis.groups import Group
from analysis.opportunity import Cohort
from analysis.report.study import rows_of
from analysis.table import EventTable

_NOT_SAID = "not said"


@dataclass(frozen=True)
class Counted:
    """One stage, digest, origin, runtime and arm: its rows (all tries), and the cells of its counted attempts."""

    cohort: Cohort
    rows: EventTable
    cells: tuple[Cell, ...]

    @property
    def group(self) -> Group:
        """The cells as a group over which a macro value is a mean."""
        return Group(self.cohort.runtime, self.cohort.arm, (self.cohort.stage,), self.cells)

    @property
    def tasks(self) -> int:
        """Tasks that were tried, also those without a counted attempt."""
        return len(np.unique(self.rows["task"]))

    @property
    def name(self) -> dict[str, str]:
        """What tells it from others, as JSON."""
        return dict(self.cohort._asdict())


def cohorts_of(table: EventTable) -> list[Counted]:
    """All cohorts, sorted by stage, runtime and arm."""
    columns = [table.ranks(name) for name in ("stage", "runtime", "arm", "digest", "origin")]
    _, first = np.unique(np.stack(columns), axis=1, return_index=True)
    texts = {name: [*table.values[name], ""] for name in Cohort._fields}
    found = []
    for row in first:
        cohort = Cohort(*(texts[name][table[name][row]] for name in Cohort._fields))
        rows = rows_of(table, **cohort._asdict())
        found.append(Counted(cohort, rows, tuple(cells_of(rows))))
    return found


def outcome_rows(counted: Counted) -> list[dict[str, Any]]:
    """How the attempts of each task ended, tasks sorted."""
    return [{"task": task} | outcomes(rows) for task, rows in by_task(counted.rows)]


def by_task(rows: EventTable) -> list[tuple[str, EventTable]]:
    """The rows of each task, tasks sorted."""
    ranks = rows.ranks("task")
    order = np.argsort(ranks, kind="stable")
    parts = np.split(order, np.flatnonzero(np.diff(ranks[order])) + 1)
    return [(rows.values["task"][rows["task"][part[0]]], rows.select(part)) for part in parts if len(part)]


def outcomes(rows: EventTable) -> dict[str, Any]:
    """Attempts by event and reason, excluded tries by reason, and the spread of calls of first passes."""
    valid = rows["valid"]
    passes = rows["call"][valid & (rows["event"] == VERIFIED)]
    spread = None
    if len(passes):
        spread = {"least": int(passes.min()), "median": float(np.median(passes)), "most": int(passes.max())}
    return {
        "attempts": int(valid.sum()),
        **{name: int((valid & (rows["event"] == code)).sum()) for name, code in EVENTS.items()},
        "reasons": {
            "terminal": _counts(rows, "reason", valid & (rows["event"] == TERMINAL)),
            "censored": _counts(rows, "reason", valid & (rows["event"] == CENSORED)),
        },
        "excluded_tries": int((~valid).sum()),
        "exclusions": _counts(rows, "exclusion", ~valid),
        "first_pass": spread,
    }


def spending(rows: EventTable) -> dict[str, Any]:
    """Calls, US dollars and seconds: of all tries, and per counted attempt. What is unknown is counted, never zero."""
    valid = rows["valid"]
    return {
        "tries": len(rows),
        "calls": int(rows["calls"].sum()),
        "calls_per_attempt": float(rows["calls"][valid].mean()) if valid.any() else None,
        "cost_usd": _amounts(rows["cost_usd"], valid),
        "wall_s": _amounts(rows["wall_s"], valid),
    }


def _amounts(values: NDArray[np.float64], valid: NDArray[np.bool_]) -> dict[str, Any]:
    known = ~np.isnan(values)
    counted = values[known & valid]
    return {
        "known_tries": int(known.sum()),
        "unknown_tries": int((~known).sum()),
        "known_total": float(values[known].sum()) if known.any() else None,
        "known_attempts": len(counted),
        "mean_of_known_attempts": float(counted.mean()) if len(counted) else None,
    }


def _counts(rows: EventTable, column: str, which: NDArray[np.bool_]) -> Mapping[str, int]:
    texts = [*rows.values[column], _NOT_SAID]
    found = Counter(texts[code] for code in rows[column][which].tolist())
    return {text: found[text] for text in sorted(found)}
