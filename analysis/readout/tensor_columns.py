"""The columns of an outcome tensor as a table: one row per episode of a checkpoint and an action."""

from __future__ import annotations

import math
from typing import Any

from analysis.errors import InputError
from analysis.readout.panel import STATUSES

NEEDED = ("checkpoint", "action", "repeat", "select")
#: Of a checkpoint: every row of it says the same.
OF_CHECKPOINT = ("task", "stratum", "key")
#: Of a panel: they tell panels apart (stage, runtime), or are the same in all its rows (origin).
OF_PANEL = ("stage", "runtime", "origin")
COLUMNS = (*NEEDED, *OF_CHECKPOINT, *OF_PANEL, "evaluate", "provenance", "calls", "cost_usd")

ORIGINS = ("collected", "synthetic", "imported", "reconstructed")


def text(value: Any) -> str:
    """A cell as text; empty if missing."""
    return "" if value is None or (isinstance(value, float) and math.isnan(value)) else str(value).strip()


def number(value: Any) -> float:
    """A cell as a finite number, NaN if it is empty.

    Raises:
        ValueError: it is something else.
    """
    if isinstance(value, bool):
        return float(value)
    written = text(value)
    if not written:
        return math.nan
    found = {"true": 1.0, "false": 0.0}.get(written.lower())
    found = float(written) if found is None else found
    if not math.isfinite(found):
        raise ValueError
    return found


def check_header(names: list[str], file: object) -> None:
    """Refuses missing, unknown and repeated columns."""
    for name in names:
        if name not in COLUMNS:
            mend = f"remove or rename it; the columns are {', '.join(COLUMNS)}"
            raise InputError("is not a column of an outcome tensor", file=file, row=1, column=repr(name), mend=mend)
        if names.count(name) > 1:
            raise InputError("occurs twice", file=file, row=1, column=name, mend="remove one of them")
    for name in NEEDED:
        if name not in names:
            mend = f"add it; needed are {', '.join(NEEDED)}"
            raise InputError("is missing", file=file, row=1, column=name, mend=mend)


def status_code(value: Any) -> int:
    """Index of a provenance into ``STATUSES``.

    Raises:
        ValueError: it is none of them.
    """
    return STATUSES.index(text(value))
