"""Counts of a stage, as plain data: what ``status`` prints and the live table shows."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from harness.errors import InputError
from harness.store.records import CellCount
from harness.store.store import Store

_EVENTS = ("verified", "terminal", "censored")


def total_cost(cells: Sequence[CellCount]) -> float | None:
    """US dollars of all tries whose cost is known; None when none is."""
    known = [cell.cost_usd for cell in cells if cell.cost_usd is not None]
    return float(sum(known)) if known else None


def _counts(cells: Sequence[CellCount]) -> dict[str, Any]:
    return {
        "planned": sum(cell.planned for cell in cells),
        "finished": sum(cell.finished for cell in cells),
        "events": {name: sum(getattr(cell, name) for cell in cells) for name in _EVENTS},
    }


def stage_status(store: Store, stage: str) -> dict[str, Any]:
    """The documented JSON of ``restartlab status``; counts the runtimes of all sets chosen so far.

    Raises:
        InputError: nothing of the stage is in the database.
    """
    record = store.stage(stage)
    if record is None:
        raise InputError(
            f"the database holds nothing of stage {stage!r}",
            mend=f"restartlab collect {stage}, or name another database",
        )
    cells = store.counts(stage)
    runtimes = sorted({cell.runtime for cell in cells})
    return {
        "stage": stage,
        "digest": record.digest,
        **_counts(cells),
        "excluded_tries": sum(cell.excluded_tries for cell in cells),
        "cost_usd": total_cost(cells),
        "runtimes": [
            {"runtime": name, **_counts([cell for cell in cells if cell.runtime == name])} for name in runtimes
        ],
    }
