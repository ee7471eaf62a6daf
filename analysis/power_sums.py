"""Chances that one comparison is certified, by enumeration of its outcomes; exact up to rounding."""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.special import bdtrc, gammaln, xlog1py, xlogy

from analysis.arms import Arms, Counts, Design
from analysis.certificates import betting, clopper_pearson, method, paired_sign, weak_sign
from analysis.intervals import Interval

#: Interval methods: their bounds of one arm, and whether touching bounds separate the arms.
_BOUNDS: dict[str, tuple[Callable[[Counts, Counts, float, int], Interval], bool]] = {
    clopper_pearson.NAME: (clopper_pearson.bounds, False),
    weak_sign.NAME: (weak_sign.bounds, True),
}


class Claims(NamedTuple):
    """Chances that a comparison is certified as restart and as continue."""

    restart: float
    continue_: float


def pmf(n: int, chance: float) -> NDArray[np.float64]:
    """Binomial probabilities of 0 ... n."""
    k = np.arange(n + 1)
    return np.exp(gammaln(n + 1) - gammaln(k + 1) - gammaln(n - k + 1) + xlogy(k, chance) + xlog1py(n - k, -chance))


@lru_cache(maxsize=4096)
def independent(name: str, p: float, q: float, n: int, m: int, alpha: float, family: int) -> Claims:
    """n fresh attempts against m continuations."""
    fresh, cont = pmf(n, p), pmf(m, q)
    if name in _BOUNDS:
        lowest, count = _thresholds(name, n, m, alpha, family)
        at_least = np.append(np.cumsum(fresh[::-1])[::-1], 0.0)
        below = np.concatenate(([0.0], np.cumsum(fresh)))
        return Claims(float(cont @ at_least[lowest]), float(cont @ below[count]))
    x, y = np.meshgrid(np.arange(n + 1), np.arange(m + 1), indexing="ij")
    arms = Arms(Design.INDEPENDENT, x.ravel(), np.full(x.size, n), y.ravel(), np.full(x.size, m))
    decision = method(name).decide(arms, alpha, family).decision.reshape(x.shape)
    return Claims(float(fresh @ (decision > 0) @ cont), float(fresh @ (decision < 0) @ cont))


@lru_cache(maxsize=4096)
def _ends(name: str, n: int, alpha: float, family: int) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Upper and lower ends of an arm of n attempts, for 0 to n successes."""
    bounds = _BOUNDS[name][0](np.arange(n + 1), np.full(n + 1, n), alpha, family)
    return bounds.high, bounds.low


def _thresholds(name: str, n: int, m: int, alpha: float, family: int) -> tuple[Counts, Counts]:
    """For every y of m: the least x of n that certifies restart, and how many x (from 0) certify continue."""
    (high_r, low_r), (high_c, low_c) = _ends(name, n, alpha, family), _ends(name, m, alpha, family)
    touching = _BOUNDS[name][1]
    lowest = np.searchsorted(low_r, high_c, side="left" if touching else "right")
    return lowest, np.searchsorted(high_r, low_c, side="right" if touching else "left")


def one_pool(name: str, p: float, q: float, live: float, both: float, n: int, alpha: float, family: int) -> Claims:
    """Sums over the number live m, the live that pass y, those of them that pass early, and the passes that are no
    longer live; the last two are the successes of the fresh arm."""
    early = both / (live * q) if both else 0.0
    gone = (p - both) / (1 - live) if live < 1 else 0.0
    restart = cont = 0.0
    for m, share in enumerate(pmf(n, live).tolist()):
        if share < 1e-16:
            continue
        lowest, count = _thresholds(name, n, m, alpha, family)
        passes = pmf(n - m, min(gone, 1.0))
        size = len(passes)
        at_least = np.cumsum(passes[::-1])[::-1]
        at_least = np.concatenate((at_least, [0.0]))
        below = np.concatenate(([0.0], np.cumsum(passes)))
        weights = pmf(m, q)
        for y in range(m + 1) if both else ():
            shared = pmf(y, min(early, 1.0))
            need = lowest[y] - np.arange(y + 1)
            room = count[y] - np.arange(y + 1)
            restart += share * weights[y] * float(shared @ at_least[np.clip(need, 0, size)])
            cont += share * weights[y] * float(shared @ below[np.clip(room, 0, size)])
        if not both:
            restart += share * float(weights @ at_least[np.clip(lowest, 0, size)])
            cont += share * float(weights @ below[np.clip(count, 0, size)])
    return Claims(restart, cont)


def paired(name: str, p: float, q: float, live: float | None, n: int, alpha: float, family: int) -> Claims:
    """n pairs, or the pairs that n attempts of one pool yield when a share ``live`` of them is live."""
    if live is not None:
        # At least k pairs: k live attempts among n - k, each followed by one more, its partner.
        some = np.arange(1, n // 2 + 1)
        at_least = np.concatenate(([1.0], bdtrc(some - 1.0, n - some, live), [0.0]))
        pairs = at_least[:-1] - at_least[1:]
    else:
        pairs = np.zeros(n + 1)
        pairs[n] = 1.0
    plus, minus = p * (1 - q), q * (1 - p)
    if plus + minus == 0:
        return Claims(0.0, 0.0)
    chance = _sign_chances if name == paired_sign.NAME else _betting_chances
    restart, cont = chance(len(pairs) - 1, plus / (plus + minus), alpha, family)
    total = [0.0, 0.0]
    for k, share in enumerate(pairs.tolist()):
        if share > 1e-16:
            discordant = share * pmf(k, min(plus + minus, 1.0))
            total[0] += float(discordant @ restart[: k + 1])
            total[1] += float(discordant @ cont[: k + 1])
    return Claims(total[0], total[1])


Chances = tuple[NDArray[np.float64], NDArray[np.float64]]


def _sign_chances(most: int, favourable: float, alpha: float, family: int) -> Chances:
    """Chance of each claim after d = 0 ... most discordant pairs."""
    restart, cont = np.zeros(most + 1), np.zeros(most + 1)
    for d in range(1, most + 1):
        a = np.arange(d + 1)
        certified = paired_sign.p_value(a, d - a) <= alpha / (2 * family)
        weights = pmf(d, favourable)
        restart[d], cont[d] = weights @ certified, weights @ certified[::-1]
    return restart, cont


def _betting_chances(most: int, favourable: float, alpha: float, family: int) -> Chances:
    """Chance that each claim was made at any time within the first d discordant pairs; the first claim stands."""
    restart, cont = np.zeros(most + 1), np.zeros(most + 1)
    bar = betting.threshold(alpha, family)
    weights = np.ones(1)  # over wins among d pairs, of paths that have claimed nothing yet
    for d in range(1, most + 1):
        weights = np.append(weights * (1 - favourable), 0.0) + np.concatenate(([0.0], weights * favourable))
        a = np.arange(d + 1)
        up, down = betting.log_wealth(a, d - a) >= bar, betting.log_wealth(d - a, a) >= bar
        restart[d], cont[d] = restart[d - 1] + weights[up].sum(), cont[d - 1] + weights[down].sum()
        weights = np.where(up | down, 0.0, weights)
    return restart, cont
