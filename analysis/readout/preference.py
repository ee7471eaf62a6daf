"""The finite-branch preference certificate: one action is the best in expectation, or it is not known.

Exact population ties cannot be certified in finite time: at any n, a gap of .05/sqrt(n) is a truth that the data barely
distinguish from none. So there is a unique winner, or equivalence within a stated margin, or neither; never a tie.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from math import log, sqrt
from typing import Literal

import numpy as np
from numpy.typing import NDArray
from scipy.stats import binom

from analysis.errors import InputError
from analysis.intervals import clopper_pearson

Status = Literal["unique_winner", "equivalent_within_margin", "undecided"]

#: (lower, upper) bounds of every action from its successes; the branches per action; error; number of actions.
Bounds = Callable[[NDArray[np.int64], int, float, int], tuple[NDArray[np.float64], NDArray[np.float64]]]


@dataclass(frozen=True)
class Preference:
    """What is certified.

    Args:
        winner: place of the unique winner; None without one.
        bounds: simultaneous (lower, upper) of each action.
        margin: that was asked for; None if none was.
    """

    status: Status
    winner: int | None
    bounds: tuple[tuple[float, float], ...]
    margin: float | None = None


def preference(
    successes: Sequence[int], n: int, delta: float = 0.05, method: str = "hoeffding", margin: float | None = None
) -> Preference:
    """Whether one action's lower bound is above every other's upper bound; else whether all lie within the margin.

    All bounds hold together with probability 1 - delta (Bonferroni over actions). Table 11 of the paper fits
    ``hoeffding``; ``clopper-pearson`` is sharper and errs as rarely.

    Args:
        n: branches of each action.
        margin: actions whose expectations differ by at most this are equivalent for the user, in units of success.

    Raises:
        InputError: impossible counts, an unknown method, an error or margin outside (0, 1).
    """
    counts = np.asarray(successes, np.int64)
    _check(len(counts), n, delta, method)
    if margin is not None and not 0 < margin < 1:
        raise InputError(f"a margin of {margin:g}", file="--margin", mend="give one between 0 and 1")
    if ((counts < 0) | (counts > n)).any():
        raise InputError(f"successes {counts.tolist()} of {n} branches are not possible", mend="give 0 to n")
    low, high = METHODS[method](counts, n, delta, len(counts))
    bounds = tuple(zip(low.tolist(), high.tolist(), strict=True))
    for place in range(len(counts)):
        if low[place] > np.delete(high, place).max():
            return Preference("unique_winner", place, bounds, margin)
    # The widest difference that the bounds allow, between any two actions.
    apart = max(high[i] - low[j] for i in range(len(counts)) for j in range(len(counts)) if i != j)
    if margin is not None and apart <= margin:
        return Preference("equivalent_within_margin", None, bounds, margin)
    return Preference("undecided", None, bounds, margin)


def certification_chance(
    p: Sequence[float], n: int, delta: float = 0.05, method: str = "hoeffding"
) -> tuple[float, ...]:
    """Chance of each action to be certified the unique winner, exactly: independent binomial counts.

    Args:
        p: true success probabilities; the chance of any but the best one is the chance of a false certificate.
    """
    _check(len(p), n, delta, method)
    counts = np.arange(n + 1)
    low, high = METHODS[method](counts, n, delta, len(p))
    # Upper bounds grow with the count, so those below a lower bound are the first ones.
    beaten = np.searchsorted(high, low, side="left")
    masses = [binom.pmf(counts, n, chance) for chance in p]
    upto = [np.concatenate([[0.0], np.cumsum(mass)]) for mass in masses]
    found = []
    for place in range(len(p)):
        others = np.prod([upto[other][beaten] for other in range(len(p)) if other != place], axis=0)
        found.append(float((masses[place] * others).sum()))
    return tuple(found)


def smallest_gap(n: int, delta: float = 0.05, actions: int = 3) -> float:
    """Smallest difference of observed rates that the Hoeffding certificate needs: 2 sqrt(log(2A/delta)/(2n))."""
    _check(actions, n, delta, "hoeffding")
    return 2 * _radius(n, delta, actions)


def least_branches(delta: float = 0.05, actions: int = 3, method: str = "hoeffding") -> int:
    """Branches of each action below which no outcome is certified: not even all of one action against none."""
    n = 1
    while preference([n, *([0] * (actions - 1))], n, delta, method).status != "unique_winner":
        n += 1
    return n


def _radius(n: int, delta: float, actions: int) -> float:
    return sqrt(log(2 * actions / delta) / (2 * n))


def _hoeffding(
    counts: NDArray[np.int64], n: int, delta: float, actions: int
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    radius = _radius(n, delta, actions)
    return counts / n - radius, counts / n + radius


def _clopper_pearson(
    counts: NDArray[np.int64], n: int, delta: float, actions: int
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    ends = clopper_pearson(counts, n, delta / actions)
    return ends.low, ends.high


METHODS: dict[str, Bounds] = {"hoeffding": _hoeffding, "clopper-pearson": _clopper_pearson}


def _check(actions: int, n: int, delta: float, method: str) -> None:
    if method not in METHODS:
        raise InputError(f"{method!r} is not a certificate", file="--certificate", mend=f"one of {', '.join(METHODS)}")
    if actions < 2 or n < 1:
        raise InputError(f"{actions} actions of {n} branches", mend="give at least two actions and one branch")
    if not 0 < delta < 1:
        raise InputError(f"an error of {delta:g}", file="--delta", mend="give one between 0 and 1")
