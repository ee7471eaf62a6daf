"""All resamples of a task's attempts: with few attempts there are few multisets, so none needs to be drawn."""

from __future__ import annotations

from math import comb

import numpy as np
from numpy.typing import NDArray

from analysis.laws import Law, Matrix

#: More multisets than this are drawn instead (126 for five distinct attempts).
MOST_MULTISETS = 5_000


def multisets(law: Law, most: int = MOST_MULTISETS) -> tuple[Matrix, NDArray[np.float64]] | None:
    """Every resample (with replacement, same size) of a law's attempts, and how probable it is.

    Returns:
        weights of the outcomes, shape (multisets, m), as ``Law.tables`` takes them, and probabilities, shape
        (multisets,); None when there are more than ``most``.
    """
    types = law.types
    present = np.flatnonzero(types)
    if comb(law.n + len(present) - 1, len(present) - 1) > most:
        return None
    counts = np.zeros((1, len(types)), np.int64)
    probability, left = np.ones(1), np.full(1, law.n)
    share = types / law.n
    for position, column in enumerate(present):
        if position == len(present) - 1:
            counts[:, column] = left
            break
        # Given what came before, this outcome's count is binomial among those left.
        chance = share[column] / share[present[position:]].sum()
        parts = [np.arange(rest + 1) for rest in left]
        sizes = left + 1
        taken = np.concatenate(parts)
        probability = np.repeat(probability, sizes) * np.concatenate([_binomial(rest, chance) for rest in left])
        counts, left = np.repeat(counts, sizes, axis=0), np.repeat(left, sizes) - taken
        counts[:, column] = taken
    return counts[:, :-1] / law.n, probability


def drawn(law: Law, rows: int, rng: np.random.Generator) -> Matrix:
    """Random resamples, shape (rows, m)."""
    weights = rng.multinomial(law.n, law.types / law.n, size=rows)[:, :-1] / law.n
    return np.asarray(weights, np.float64)


def _binomial(n: int, p: float) -> NDArray[np.float64]:
    return np.array([comb(int(n), k) * p**k * (1 - p) ** (int(n) - k) for k in range(int(n) + 1)])
