"""Agreement of raters on judged dimensions (evidence, minimal change). It does not prove that they are right."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from analysis.errors import InputError

LEVELS = ("nominal", "ordinal", "interval")

#: Ratings of one item, by rater; a rater who did not judge it is left out.
Ratings = Sequence[Mapping[str, float]]


@dataclass(frozen=True)
class Agreement:
    """Agreement on one dimension.

    Args:
        items: items that two raters or more judged; only these count.
        alpha: Krippendorff's, by level of measurement; None where all ratings are the same, which says nothing.
        kappa: Cohen's with quadratic weights, by pair of raters with common items; None as above.
        disagreements: items with the widest range of ratings, widest first.
    """

    raters: tuple[str, ...]
    items: int
    alpha: dict[str, float | None]
    kappa: dict[tuple[str, str], float | None]
    disagreements: tuple[tuple[int, float], ...]


def agreement(ratings: Ratings) -> Agreement:
    """Agreement over items.

    Raises:
        InputError: no item was judged by two raters.
    """
    raters = sorted({name for item in ratings for name in item})
    shared = [item for item in ratings if len(item) > 1]
    if not shared:
        raise InputError("no item was judged by two raters", mend="let two or more raters judge the same trials")
    pairs = {}
    for k, a in enumerate(raters):
        for b in raters[k + 1 :]:
            both = [(item[a], item[b]) for item in shared if a in item and b in item]
            if both:
                pairs[a, b] = weighted_kappa(both)
    widths = [(place, max(item.values()) - min(item.values())) for place, item in enumerate(ratings) if len(item) > 1]
    apart = sorted((row for row in widths if row[1] > 0), key=lambda row: (-row[1], row[0]))
    alpha = {level: krippendorff(shared, level) for level in LEVELS}
    return Agreement(tuple(raters), len(shared), alpha, pairs, tuple(apart[:5]))


def weighted_kappa(pairs: Sequence[tuple[float, float]]) -> float | None:
    """Cohen's kappa with quadratic weights of two raters (Cohen 1968); None if neither ever varies."""
    a, b = (np.array([pair[side] for pair in pairs]) for side in (0, 1))
    expected = float(np.mean((a[:, None] - b[None, :]) ** 2))
    return None if expected == 0 else 1 - float(np.mean((a - b) ** 2)) / expected


def krippendorff(ratings: Ratings, level: str) -> float | None:
    """Krippendorff's alpha for any number of raters and missing ratings; None if all ratings are the same."""
    if level not in LEVELS:
        raise InputError(f"{level!r} is no level of measurement", mend=f"there are {', '.join(LEVELS)}")
    values = sorted({value for item in ratings if len(item) > 1 for value in item.values()})
    place = {value: k for k, value in enumerate(values)}
    together = np.zeros((len(values), len(values)))
    for item in ratings:
        if len(item) < 2:
            continue
        counts = np.zeros(len(values))
        for value in item.values():
            counts[place[value]] += 1
        together += (np.outer(counts, counts) - np.diag(counts)) / (len(item) - 1)
    totals = together.sum(axis=1)
    apart = _distances(np.array(values), totals, level)
    expected = float((np.outer(totals, totals) * apart).sum() / (totals.sum() - 1))
    return None if expected == 0 else 1 - float((together * apart).sum()) / expected


def _distances(values: NDArray[np.float64], totals: NDArray[np.float64], level: str) -> NDArray[np.float64]:
    if level == "nominal":
        return 1.0 - np.eye(len(values))
    if level == "interval":
        return np.asarray((values[:, None] - values[None, :]) ** 2, np.float64)
    below = np.cumsum(totals) - totals / 2
    return np.asarray((below[:, None] - below[None, :]) ** 2, np.float64)
