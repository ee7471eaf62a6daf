"""What a pair of best-action sets counts for in each metric, as tables over all pairs of sets."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from math import comb

import numpy as np
from numpy.typing import NDArray

from analysis.readout.best_sets import members

#: Metrics that depend on the two sets alone.
SET_METRICS = (
    "agreement", "single", "multiple", "common_action", "jaccard", "uniform_choice", "size_reference", "mean_size",
)  # fmt: skip


@lru_cache(maxsize=8)
def pair_tables(actions: int) -> NDArray[np.float64]:
    """Values of every metric of ``SET_METRICS`` for a pair of sets by their codes.

    agreement: the sets are equal; single, multiple: equal, and of one or of more actions; common_action: they
    intersect; jaccard: intersection over union; uniform_choice: chance that one action of each, chosen uniformly, is
    the same; size_reference: chance that random sets of these sizes are equal; mean_size: of the two.

    Returns:
        shape (metrics, 2**actions, 2**actions); pairs with the empty set are 0.
    """
    sets = members(actions).astype(np.float64)
    size = sets.sum(axis=1)
    both = sets @ sets.T
    one, other = size[:, None], size[None, :]
    union = one + other - both
    filled = (one > 0) & (other > 0)
    equal = np.eye(len(sets)) * filled
    ways = np.array([comb(actions, int(count)) for count in size], np.float64)
    with np.errstate(invalid="ignore", divide="ignore"):
        found = np.stack([
            equal, equal * (one == 1), equal * (one > 1), (both > 0).astype(np.float64), both / union,
            both / (one * other), (one == other) / ways[:, None], (one + other) / 2,
        ])  # fmt: skip
    return np.where(filled, found, 0.0)


def census(pairs: Sequence[tuple[int, int]], actions: int) -> dict[str, float]:
    """Mean of every metric of ``SET_METRICS`` over pairs of sets, given by their codes."""
    first, second = np.asarray(pairs, np.int64).T
    return dict(zip(SET_METRICS, pair_tables(actions)[:, first, second].mean(axis=1).tolist(), strict=True))
