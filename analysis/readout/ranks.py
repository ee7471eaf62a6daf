"""Rank concordance over checkpoints: Spearman's coefficient with average ranks, also of bootstrap resamples."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from analysis.readout.panel import Matrix

_DECIMALS = 12


def spearman(x: ArrayLike, y: ArrayLike) -> float:
    """Spearman's coefficient of two vectors, ties at average ranks; NaN where one of them is constant."""
    one = np.asarray(x, np.float64)
    return float(resampled_spearman(one, np.asarray(y, np.float64), np.ones((1, len(one))))[0])


def resampled_spearman(x: Matrix, y: Matrix, weights: Matrix) -> Matrix:
    """The coefficient of each resample.

    Args:
        x, y: shape (C,).
        weights: how often each resample holds each checkpoint, shape (N, C).

    Returns:
        shape (N,), NaN where a resample is constant in x or y.
    """
    ranks = [_ranks(values, weights) for values in (x, y)]
    total = weights.sum(axis=1)
    # The mean of average ranks does not depend on ties.
    centred = [rank - (total[:, None] + 1) / 2 for rank in ranks]
    spread = [(weights * part * part).sum(axis=1) for part in centred]
    product = (weights * centred[0] * centred[1]).sum(axis=1)
    constant = (spread[0] < 1e-9) | (spread[1] < 1e-9)
    scale = np.sqrt(np.where(constant, 1.0, spread[0] * spread[1]))
    return np.where(constant, np.nan, product / scale)


def _ranks(values: Matrix, weights: Matrix) -> Matrix:
    """Average rank of each checkpoint in each resample, shape (N, C)."""
    _, group = np.unique(np.round(values, _DECIMALS), return_inverse=True)
    counts = weights @ np.eye(int(group.max()) + 1)[group]
    return np.asarray((np.cumsum(counts, axis=1) - (counts - 1) / 2)[:, group], np.float64)
