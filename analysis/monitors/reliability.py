"""Does a score mean on held-out tasks what it meant on calibration tasks? Failure by score."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from analysis.arms import Pool
from analysis.monitors.watched import Watched

#: Bins of scores, of about equally many calibration attempts.
BINS = 5


def highest_scores(pool: Pool, watched: Watched) -> NDArray[np.float64]:
    """The highest score of each attempt while it was live, NaN of one without a score. Shape (attempts,)."""
    readings = watched.readings
    use = (readings.call < pool.call[readings.attempt]) & ~np.isnan(readings.score)
    highest = np.full(len(pool.call), -np.inf)
    np.maximum.at(highest, readings.attempt[use], readings.score[use])
    return np.where(np.isfinite(highest), highest, np.nan)


def reliability(groups: Mapping[str, tuple[Pool, Watched]], budget: int, first: str) -> list[dict[str, Any]]:
    """Share of failing continuations by highest score, in bins cut on the group ``first``; other groups beside it.

    An attempt fails where it is not verified within the budget. Bins hold scores from ``from`` on, up to the next one.
    """
    scores = {name: highest_scores(pool, watched) for name, (pool, watched) in groups.items()}
    known = scores[first][~np.isnan(scores[first])]
    if not len(known):
        return []
    edges = np.unique(np.quantile(known, np.linspace(0, 1, BINS + 1)[:-1], method="nearest"))
    rows = []
    for low, high in zip(edges, [*edges[1:], np.inf], strict=True):
        row: dict[str, Any] = {"from": float(low), "groups": []}
        for name, (pool, _) in groups.items():
            lowest = -np.inf if low == edges[0] else low
            inside = (scores[name] >= lowest) & (scores[name] < high)
            failing = ~(pool.verified & (pool.call <= budget))[inside]
            share = float(failing.mean()) if inside.any() else None
            row["groups"].append({"group": name, "attempts": int(inside.sum()), "failing": share})
        rows.append(row)
    return rows
