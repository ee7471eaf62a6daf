"""The exact law of a mean of independent draws from a finite distribution, where its values lie on a small lattice."""

from __future__ import annotations

from dataclasses import dataclass
from math import gcd, lcm

import numpy as np
from numpy.typing import NDArray

#: Largest lattice (points) on which a law is computed exactly.
MOST_POINTS = 2**20

_EPSILON = 1e-12


@dataclass(frozen=True)
class ExactLaw:
    """A distribution: ascending ``values`` and their ``probabilities``, both of shape (points,)."""

    values: NDArray[np.float64]
    probabilities: NDArray[np.float64]

    def quantile(self, share: float) -> float:
        """The smallest value at or below which at least ``share`` of the probability lies."""
        at = int(np.searchsorted(np.cumsum(self.probabilities), share - _EPSILON))
        return float(self.values[min(at, len(self.values) - 1)])

    def at_most(self, value: float) -> float:
        """P(X <= value)."""
        return float(self.probabilities[self.values <= value + 1e-9].sum())

    @property
    def positive(self) -> float:
        """P(X > 0)."""
        return float(self.probabilities[self.values > 1e-9].sum())

    @property
    def negative(self) -> float:
        """P(X < 0)."""
        return float(self.probabilities[self.values < -1e-9].sum())


def merged(values: NDArray[np.float64], probabilities: NDArray[np.float64]) -> ExactLaw:
    """A distribution with equal values (to 12 decimals) joined."""
    distinct, where = np.unique(np.round(values, 12), return_inverse=True)
    weights = np.bincount(where, weights=probabilities, minlength=len(distinct))
    return ExactLaw(distinct, np.asarray(weights, np.float64))


def difference(one: ExactLaw, other: ExactLaw) -> ExactLaw:
    """The law of X - Y for independent X and Y."""
    values = one.values[:, None] - other.values[None]
    return merged(values.ravel(), np.outer(one.probabilities, other.probabilities).ravel())


def mean_of_draws(one: ExactLaw, draws: int, sizes: list[int], most: int = MOST_POINTS) -> ExactLaw | None:
    """The law of the mean of ``draws`` independent draws; None when its lattice has more than ``most`` points.

    Args:
        sizes: numbers of attempts; the values' denominators divide a power of their least common multiple.
    """
    if draws == 1:
        return one
    whole = whole_multiples(one.values, lcm(*sizes))
    if whole is None:
        return None
    numerators, scale = whole
    low = int(numerators.min())
    step = int(np.gcd.reduce(numerators - low)) or 1
    steps = (numerators - low) // step
    points = draws * int(steps.max()) + 1
    if points > most:
        return None
    single = np.zeros(points)
    np.add.at(single, steps, one.probabilities)
    length = 1 << (points - 1).bit_length()
    law = np.fft.irfft(np.fft.rfft(single, length) ** draws, length)[:points]
    law[law < 1e-15] = 0.0
    return ExactLaw((draws * low + step * np.arange(points)) / (scale * draws), law / law.sum())


def whole_multiples(values: NDArray[np.float64], base: int) -> tuple[NDArray[np.int64], int] | None:
    """The values as whole multiples of 1/scale for the smallest power of ``base`` that serves; they are taken to 12
    decimals."""
    scale = 1
    while scale <= 10**7:
        scaled = values * scale
        whole = np.rint(scaled)
        # Values are rounded to 12 decimals.
        if np.abs(scaled - whole).max() < 1e-9 + scale * _EPSILON:
            numerators = whole.astype(np.int64)
            common = gcd(scale, int(np.gcd.reduce(numerators)))
            return numerators // common, scale // common
        if base == 1:
            return None
        scale *= base
    return None
