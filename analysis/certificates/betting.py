"""Betting: an e-process on disjoint pairs, valid at any stopping time.

A gambler stakes a share lambda in [0, 1) of the wealth on every difference X = fresh - continuation. Under E X <= 0 the
wealth prod(1 + lambda X) is a supermartingale, and so is its mixture over lambda uniform on [0, 1), which is what is
used: it needs no tuning and equals betting a predictable lambda. By Ville's inequality wealth >= 2M/alpha, once at any
time, certifies a direction with error alpha/(2M). For a differences +1 and b differences -1 in any order

    W(a, b) = integral_0^1 (1 + l)^a (1 - l)^b dl = 2^(a+b+1) B(a+1, b+1) P(Beta(a+1, b+1) > 1/2).
"""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.special import betaincc, betaln

from analysis.arms import Arms, Design, Pairs
from analysis.certificates.method import Ruling, check_family, directions, smallest

NAME = "betting"
CLAIM = "p > q"
OPTIONAL_STOPPING = True
WHY_NOT: Mapping[Design, str] = {
    Design.ONE_POOL: "it bets on attempts one after the other, and arms that share attempts have no such order; "
    "use the pairs design, which forms them",
    Design.INDEPENDENT: "counts of two arms do not say in which order pairs were seen; use the pairs design, or fisher",
}


def log_wealth(plus: ArrayLike, minus: ArrayLike) -> NDArray[np.float64]:
    """Natural logarithm of W(plus, minus), the wealth of the bet on p > q; 0 before the first discordant pair.

    Far on the losing side (a loss of 1e-300 of the pairs' odds) the value is rounded down to -inf, which is safe.
    """
    a, b = np.asarray(plus, dtype=np.float64) + 1, np.asarray(minus, dtype=np.float64) + 1
    with np.errstate(divide="ignore"):
        return (a + b - 1) * np.log(2) + betaln(a, b) + np.log(betaincc(a, b, 0.5))


def threshold(alpha: float, family: int) -> float:
    """Natural logarithm of the wealth that certifies: log(2M/alpha)."""
    check_family(alpha, family)
    return float(np.log(2 * family / alpha))


def decide(arms: Arms, alpha: float, family: int) -> Ruling:
    """Rules on every comparison by the direction whose wealth first reaches the threshold."""
    assert arms.pairs is not None, "a pairs design carries its pairs"
    restart, cont = first_certified(arms.pairs, alpha, family)
    return Ruling(directions(restart < cont, cont < restart))


def first_certified(pairs: Pairs, alpha: float, family: int) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """After how many pairs each comparison certified restart and continue; the largest int64 where it did not.

    Collection of a cell may stop there: the claim stays valid.
    """
    bar, never = threshold(alpha, family), np.iinfo(np.int64).max
    length = np.diff(pairs.start)
    base = np.repeat(pairs.start[:-1], length)
    plus = np.concatenate(([0], np.cumsum(pairs.difference > 0)))
    minus = np.concatenate(([0], np.cumsum(pairs.difference < 0)))
    won, lost = plus[1:] - plus[base], minus[1:] - minus[base]
    step = np.arange(1, len(base) + 1) - base
    first = []
    for wealth in (log_wealth(won, lost), log_wealth(lost, won)):
        when = np.full(len(length), never, dtype=np.int64)
        some = length > 0
        if some.any():
            # Empty comparisons have no step of their own, so the beginnings of the others bound them exactly.
            when[some] = np.minimum.reduceat(np.where(wealth >= bar, step, never), pairs.start[:-1][some])
        first.append(when)
    return first[0], first[1]


def attainable_n(alpha: float, family: int) -> int:
    """Smallest number of pairs with W(n, 0) = (2^(n+1) - 1)/(n + 1) >= 2M/alpha."""
    bar = threshold(alpha, family)
    return smallest(lambda n: bool(log_wealth(n, 0) >= bar))
