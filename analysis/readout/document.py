"""A readout as plain JSON values, unrounded; what is not defined is null."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from analysis.readout.measures import METRICS, Measured
from analysis.readout.panel import Panel
from analysis.readout.provenance import provenance_rows
from analysis.readout.readout import Readout
from analysis.readout.resampling import Ends
from analysis.readout.warnings import warnings_of

#: Metrics of a ``k`` in the document.
SHOWN = (
    "agreement", "single", "multiple", "all_zero", "held_out_success", "common_action", "jaccard", "uniform_choice",
    "size_reference", "mean_size",
)  # fmt: skip


def readout_document(found: Readout) -> dict[str, Any]:
    """The document of ``restartlab readout --json``: one panel."""
    checkpoints, actions, repeats = found.panel.shape
    return {
        "design": found.settings.design,
        "checkpoints": checkpoints,
        "actions": actions,
        "repeats": repeats,
        "k": {
            str(one.k): metrics_of(one) | {"intervals": {name: pair(ends[name], name) for name in SHOWN}}
            for one, ends in zip(found.measures, found.intervals, strict=True)
        },
        "pooled_success": found.pooled_success,
        "rank_concordance": {
            str(one.k): dict(vars(rank)) for one, rank in zip(found.measures, found.concordance, strict=True)
        },
        "provenance": provenance_document([found.panel]),
        "warnings": warnings_of(found),
    }


def metrics_of(one: Measured, names: Sequence[str] = SHOWN) -> dict[str, float | None]:
    """Panel values of metrics."""
    return {name: known(one.mean(name), name) for name in names}


def provenance_document(panels: Sequence[Panel]) -> dict[str, dict[str, float | None]] | None:
    """Episodes, positives and their rate by status."""
    rows = provenance_rows(panels)
    if rows is None:
        return None
    return {row.status: {"episodes": row.episodes, "positives": row.positives, "rate": row.rate} for row in rows}


def pair(ends: Ends, metric: str = "") -> list[float] | None:
    """An interval, or null."""
    low, high = known(ends.low, metric), known(ends.high, metric)
    return None if low is None or high is None else [low, high]


def known(value: float, metric: str = "") -> float | None:
    """A number, or null for NaN. Fractions lose what rounding puts outside [0, 1]."""
    if value != value:
        return None
    return min(max(value, 0.0), 1.0) if metric in METRICS and metric != "mean_size" else value
