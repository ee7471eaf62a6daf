"""Exact and approximate intervals of binomial proportions and of differences between two of them.

Arrays broadcast. ``error`` is the chance of missing the truth that the caller allows: in total for a two-sided interval
(half of it a tail), in that one tail for a one-sided bound. An empty sample (n = 0) knows nothing: [0, 1], and [-1, 1]
for a difference.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.special import betaincinv, ndtri

from analysis.errors import InputError


class Interval(NamedTuple):
    """Both ends, arrays of the broadcast shape."""

    low: NDArray[np.float64]
    high: NDArray[np.float64]


def _counts(successes: ArrayLike, n: ArrayLike, error: float) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    k, size = np.broadcast_arrays(np.asarray(successes), np.asarray(n))
    if not 0 < error < 1:
        raise InputError(f"an error of {error!r} is not between 0 and 1")
    if k.size and not (np.equal(k, np.floor(k)).all() and np.equal(size, np.floor(size)).all()):
        raise InputError("counts of successes and attempts must be whole numbers")
    k, size = k.astype(np.int64), size.astype(np.int64)
    wrong = (k < 0) | (k > size)
    if wrong.any():
        at = int(np.flatnonzero(wrong)[0])
        raise InputError(f"{k.flat[at]} successes of {size.flat[at]} attempts are not possible")
    return k, size


def clopper_pearson_lower(successes: ArrayLike, n: ArrayLike, error: float) -> NDArray[np.float64]:
    """One-sided exact lower bound: P(bound > truth) <= error. 0 at 0 of n; error**(1/n) at n of n."""
    k, size = _counts(successes, n, error)
    return _lower(k, size, error)


def clopper_pearson_upper(successes: ArrayLike, n: ArrayLike, error: float) -> NDArray[np.float64]:
    """One-sided exact upper bound: P(bound < truth) <= error. 1 at n of n; 1 - error**(1/n) at 0 of n (equation 17)."""
    k, size = _counts(successes, n, error)
    return 1.0 - _lower(size - k, size, error)


def clopper_pearson(successes: ArrayLike, n: ArrayLike, error: float) -> Interval:
    """Two-sided exact interval, error/2 a tail (Clopper and Pearson 1934)."""
    k, size = _counts(successes, n, error)
    return Interval(_lower(k, size, error / 2), 1.0 - _lower(size - k, size, error / 2))


def _lower(k: NDArray[np.int64], size: NDArray[np.int64], tail: float) -> NDArray[np.float64]:
    # Event tables hold many cells of the same few counts; each distinct pair is inverted once.
    top = int(size.max(initial=0)) + 1
    pairs, back = np.unique(k * top + size, return_inverse=True)
    some, of = pairs // top, pairs % top
    bound = np.zeros(len(pairs))
    inner = some > 0
    bound[inner] = betaincinv(some[inner], of[inner] - some[inner] + 1, tail)
    all_of = inner & (some == of)  # in closed form: the inversion loses digits near 1
    bound[all_of] = tail ** (1.0 / of[all_of])
    return bound[back].reshape(k.shape)


def wilson(successes: ArrayLike, n: ArrayLike, error: float) -> Interval:
    """Wilson's score interval, without continuity correction."""
    k, size = _counts(successes, n, error)
    z = -float(ndtri(error / 2))
    with np.errstate(invalid="ignore", divide="ignore"):
        share = k / size
        middle = (share + z**2 / (2 * size)) / (1 + z**2 / size)
        half = z * np.sqrt(share * (1 - share) / size + z**2 / (4 * size**2)) / (1 + z**2 / size)
    # At 0 of n and n of n the end is exactly 0 or 1; the subtraction leaves a rounding error there.
    low = np.where(k == 0, 0.0, middle - half)
    high = np.where(k == size, 1.0, middle + half)
    return Interval(np.where(size == 0, 0.0, low), np.where(size == 0, 1.0, high))


def newcombe(x1: ArrayLike, n1: ArrayLike, x2: ArrayLike, n2: ArrayLike, error: float) -> Interval:
    """Newcombe's method 10 for p1 - p2: square-and-add of Wilson limits (Newcombe 1998).

    For independent samples. 0/20 against 1/20 at 5 % gives [-0.2361, 0.1163].
    """
    (l1, u1), (l2, u2) = wilson(x1, n1, error), wilson(x2, n2, error)
    with np.errstate(invalid="ignore", divide="ignore"):
        share1, share2 = np.asarray(x1) / np.asarray(n1), np.asarray(x2) / np.asarray(n2)
        low = share1 - share2 - np.sqrt((share1 - l1) ** 2 + (u2 - share2) ** 2)
        high = share1 - share2 + np.sqrt((u1 - share1) ** 2 + (share2 - l2) ** 2)
    empty = np.isnan(share1 - share2)
    return Interval(np.where(empty, -1.0, low), np.where(empty, 1.0, high))


def wilson_limits_difference(x1: ArrayLike, n1: ArrayLike, x2: ArrayLike, n2: ArrayLike, error: float) -> Interval:
    """Plain difference of Wilson limits for p1 - p2: [l1 - u2, u1 - l2].

    Wider than Newcombe's method 10, for which it is sometimes taken: 0/20 against 1/20 at 5 % gives [-0.2361, 0.1522],
    which section 6.5 of arXiv 2610.36544 prints as a Newcombe interval.
    """
    (l1, u1), (l2, u2) = wilson(x1, n1, error), wilson(x2, n2, error)
    return Interval(l1 - u2, u1 - l2)


def fisher_two_sided(x1: int, n1: int, x2: int, n2: int) -> float:
    """Fisher's exact p-value of x1 of n1 against x2 of n2: the tables that are no more probable than the observed."""
    from scipy.stats import fisher_exact

    _counts([x1, x2], [n1, n2], 0.5)
    value = float(fisher_exact([[x1, n1 - x1], [x2, n2 - x2]], alternative="two-sided")[1])
    return 1.0 if math.isnan(value) else value
