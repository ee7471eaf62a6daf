"""Why failed branches are poor material (appendix G): selection on failure, and correlated views."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np
from numpy.typing import ArrayLike, NDArray


def component_right_given_failure(q: ArrayLike, r: ArrayLike) -> NDArray[np.float64]:
    """P(component right | whole failed) = q(1 - r)/(1 - qr) (equation 24).

    Args:
        q: chance that the component is right.
        r: chance that all remaining requirements are right, independently.

    NaN where failure is impossible (q = r = 1).
    """
    right, rest = np.asarray(q, dtype=np.float64), np.asarray(r, dtype=np.float64)
    with np.errstate(invalid="ignore", divide="ignore"):
        return right * (1 - rest) / (1 - right * rest)


def inversion_threshold(q: ArrayLike) -> NDArray[np.float64]:
    """(2q - 1)/q: for r above it, the component is more often wrong than right among failures (lemma G.1, q > 1/2)."""
    right = np.asarray(q, dtype=np.float64)
    return (2 * right - 1) / right


def ensemble_variance(q: ArrayLike, m: ArrayLike, rho: ArrayLike) -> NDArray[np.float64]:
    """Variance of the mean of m exchangeable views: q(1 - q)/m [1 + (m - 1) rho] (equation 25)."""
    right, views = np.asarray(q, dtype=np.float64), np.asarray(m, dtype=np.float64)
    return right * (1 - right) / views * (1 + (views - 1) * np.asarray(rho, dtype=np.float64))


def effective_views(m: ArrayLike, rho: ArrayLike) -> NDArray[np.float64]:
    """m/(1 + (m - 1) rho): independent views with the same variance (equation 26)."""
    views = np.asarray(m, dtype=np.float64)
    return views / (1 + (views - 1) * np.asarray(rho, dtype=np.float64))


def source_pairs(sources: Iterable[int]) -> int:
    """Unordered pairs of sources within a task, summed over tasks: sum of n(n - 1)/2."""
    return sum(n * (n - 1) // 2 for n in sources)
