"""The paired checkpoint bootstrap: every metric is a mean over checkpoints, so all resamples are one matrix product."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from analysis.bootstrap import TAILS
from analysis.errors import InputError
from analysis.readout.panel import Matrix

REPLICATES = 10_000
SEED = 20260928


class Ends(NamedTuple):
    """A percentile interval (2.5, 97.5); descriptive. ``omitted``: share of resamples in which it is not defined."""

    low: float
    high: float
    omitted: float = 0.0


def resample_weights(
    checkpoints: int, strata: Sequence[str] | None = None, replicates: int = REPLICATES, seed: int = SEED
) -> Matrix:
    """How often each resample holds each checkpoint, shape (replicates, checkpoints).

    Checkpoints are drawn with replacement inside their stratum, whose size stays. The same checkpoints, strata and seed
    give the same matrix: panels, actions and k are compared on the same resamples.
    """
    rng = np.random.default_rng(seed)
    found = np.zeros((replicates, checkpoints))
    groups = np.unique(list(strata), return_inverse=True)[1] if strata else np.zeros(checkpoints, np.int64)
    for group in range(int(groups.max()) + 1):
        mine = np.flatnonzero(groups == group)
        picks = rng.integers(len(mine), size=(replicates, len(mine))) + len(mine) * np.arange(replicates)[:, None]
        found[:, mine] = np.bincount(picks.ravel(), minlength=replicates * len(mine)).reshape(replicates, -1)
    return found


def cluster_weights(
    clusters: Sequence[str], strata: Sequence[str] | None = None, replicates: int = REPLICATES, seed: int = SEED
) -> Matrix:
    """The same when whole clusters (tasks) are drawn, with all their checkpoints.

    Raises:
        InputError: a cluster lies in several strata.
    """
    names, first, label = np.unique(list(clusters), return_index=True, return_inverse=True)
    groups = None
    if strata:
        for place, name in enumerate(clusters):
            if strata[place] != strata[first[label[place]]]:
                what = f"task {name} is in strata {strata[first[label[place]]]} and {strata[place]}"
                raise InputError(what, mend="give each task one stratum, or resample checkpoints")
        groups = [strata[place] for place in first]
    return resample_weights(len(names), groups, replicates, seed)[:, label]


def resampled_means(weights: Matrix, values: Matrix) -> Matrix:
    """Means of resamples of per-checkpoint values (C, metrics): shape (replicates, metrics)."""
    return weights @ values / weights.sum(axis=1, keepdims=True)


def ends_of(samples: Matrix) -> list[Ends]:
    """Percentile intervals of each column of samples (replicates, metrics), leaving out what is NaN."""
    found = []
    for column in np.atleast_2d(samples.T):
        known = column[~np.isnan(column)]
        if len(known):
            low, high = np.quantile(known, TAILS, method="inverted_cdf").tolist()
            found.append(Ends(low, high, 1 - len(known) / len(column)))
        else:
            found.append(Ends(float("nan"), float("nan"), 1.0))
    return found
