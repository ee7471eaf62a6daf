"""Which checkpoints have a certified best action, from all their draws."""

from __future__ import annotations

from collections import Counter
from typing import Any

import numpy as np

from analysis.readout.panel import Panel
from analysis.readout.preference import least_branches, preference


def certificates(
    panel: Panel, delta: float = 0.05, method: str = "hoeffding", margin: float | None = None
) -> dict[str, Any] | None:
    """A certificate per checkpoint on the evaluator's score, each at error ``delta``; None if that is not 0 or 1."""
    if not np.isin(panel.evaluate, (0.0, 1.0)).all():
        return None
    repeats = panel.shape[2]
    rows = []
    for name, successes in zip(panel.checkpoints, panel.evaluate.sum(axis=2).astype(np.int64), strict=True):
        found = preference(successes.tolist(), repeats, delta, method, margin)
        winner = None if found.winner is None else panel.actions[found.winner]
        rows.append({"checkpoint": name, "successes": successes.tolist(), "status": found.status, "winner": winner})
    counts = Counter(row["status"] for row in rows)
    return {
        "method": method, "delta": delta, "margin": margin, "branches": repeats,
        "least_branches": least_branches(delta, panel.shape[1], method),
        "counts": {name: counts[name] for name in ("unique_winner", "equivalent_within_margin", "undecided")},
        "rows": rows,
    }  # fmt: skip
