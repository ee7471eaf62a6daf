"""Boschloo's test: Fisher's one-sided p-value as a statistic, at its exact unconditional level; independent arms only.

For sample sizes (n, m) the test rejects p <= q on the largest set {Fisher's p <= f} whose probability is at most
alpha/(2M) for every common success rate. That supremum over the rate is bounded rigorously, not searched for: with
rate = sin^2(phi) and P the probability of a set, |d arcsin(sqrt P)/d phi| <= sqrt(n + m), because the score has
variance 4(n + m); so values on a grid bound everything between its points, and cells that might exceed are halved.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray
from scipy.special import gammaln

from analysis.arms import Arms, Design
from analysis.certificates import fisher
from analysis.certificates.method import Ruling, check_family, directions, smallest
from analysis.errors import InputError

NAME = "boschloo"
CLAIM = "p > q"
OPTIONAL_STOPPING = False
WHY_NOT: Mapping[Design, str] = {
    Design.ONE_POOL: "the arms share attempts, and its level is that of independent arms; "
    "use the split design or a checkpoint panel, or clopper-pearson or weak-sign",
    Design.PAIRS: "it compares counts, not pairs; use the split design, or paired-sign or betting",
}

_LARGEST = 4_000_000


def decide(arms: Arms, alpha: float, family: int) -> Ruling:
    """Rules on every comparison.

    Raises:
        InputError: an arm is so large that its tables do not fit in memory.
    """
    check_family(alpha, family)
    level = alpha / (2 * family)
    restart = _rejected(arms.x, arms.n, arms.y, arms.m, level)
    return Ruling(directions(restart, _rejected(arms.y, arms.m, arms.x, arms.n, level)))


def _rejected(
    x: NDArray[np.int64], n: NDArray[np.int64], y: NDArray[np.int64], m: NDArray[np.int64], level: float
) -> NDArray[np.bool_]:
    found = np.zeros(len(x), dtype=np.bool_)
    sizes, back = np.unique(np.stack([n, m], axis=1), axis=0, return_inverse=True)
    for i, (first, second) in enumerate(sizes.tolist()):
        here = back.ravel() == i
        found[here] = rejection_region(first, second, level)[x[here], y[here]]
    return found


@lru_cache(maxsize=512)
def rejection_region(n: int, m: int, level: float) -> NDArray[np.bool_]:
    """Tables (x, y) on which p <= q is rejected at the level. Shape (n + 1, m + 1)."""
    if (n + 1) * (m + 1) > _LARGEST:
        raise InputError(
            f"boschloo lists all {(n + 1) * (m + 1)} tables of arms of {n} and {m} attempts, at most {_LARGEST}",
            mend="use fisher, which hardly differs at this size",
        )
    x, y = np.meshgrid(np.arange(n + 1), np.arange(m + 1), indexing="ij")
    statistic = fisher.p_value(x.ravel(), np.full(x.size, n), y.ravel(), np.full(x.size, m)).reshape(x.shape)
    # Tables that tie by symmetry differ in the last digits; they enter together.
    cuts = np.unique(statistic[statistic < 1])
    cuts = cuts[np.append(np.diff(cuts) > 1e-9 * cuts[:-1], True)] if len(cuts) else cuts
    low, high = -1, len(cuts)
    while high - low > 1:
        middle = (low + high) // 2
        inside = statistic <= cuts[middle] * (1 + 1e-9)
        low, high = (middle, high) if never_above(inside, level) else (low, middle)
    region = np.zeros(x.shape, dtype=np.bool_) if low < 0 else statistic <= cuts[low] * (1 + 1e-9)
    region.flags.writeable = False
    return region


def never_above(region: NDArray[np.bool_], level: float) -> bool:
    """Whether the region has at most this probability under every common success rate of both arms.

    A supremum within 1e-9 of the level (relative), the rounding error of the sums, counts as at most the level.
    """
    n, m = region.shape[0] - 1, region.shape[1] - 1
    total = n + m
    x, y = np.nonzero(region)
    # The probability depends on the rate through s = x + y only: one weight per s.
    log_tables = _log_choose(n, x) + _log_choose(m, y)
    weight = np.zeros(total + 1)
    np.add.at(weight, x + y, np.exp(log_tables - _log_choose(total, x + y)))
    used = np.flatnonzero(weight)
    if len(used) == 0:
        return True
    limit = np.arcsin(np.sqrt(min(1.0, level * (1 + 1e-9))))
    low, high = np.zeros(1), np.full(1, np.pi / 2)
    for _ in range(200):
        middle = (low + high) / 2
        at = np.arcsin(np.sqrt(np.minimum(_probability(used, weight[used], total, middle), 1.0)))
        if (at > limit).any():
            return False
        open_ = at + np.sqrt(total) * (high - low) / 2 > limit
        if not open_.any():
            return True
        if float((high - low)[0]) < 1e-12 or len(low) > 2_000_000:
            return False  # undecided to the last digit: do not reject, which is the safe side
        low, middle, high = low[open_], middle[open_], high[open_]
        low, high = np.concatenate([low, middle]), np.concatenate([middle, high])
    return False


def _probability(
    s: NDArray[np.int64], weight: NDArray[np.float64], total: int, phi: NDArray[np.float64]
) -> NDArray[np.float64]:
    out = np.empty(len(phi))
    log_weight = (_log_choose(total, s) + np.log(weight))[:, None]
    for begin in range(0, len(phi), 2048):
        part = phi[begin : begin + 2048]
        log_sin, log_cos = np.log(np.sin(part)), np.log(np.cos(part))
        out[begin : begin + 2048] = np.exp(
            log_weight + 2 * s[:, None] * log_sin + 2 * (total - s)[:, None] * log_cos
        ).sum(axis=0)
    return out


def _log_choose(n: int, k: NDArray[np.int64]) -> NDArray[np.float64]:
    return gammaln(n + 1) - gammaln(k + 1) - gammaln(n - k + 1)


def attainable_n(alpha: float, family: int) -> int:
    """Smallest n with 4^-n <= alpha/(2M), the largest probability of n of n against 0 of n."""
    check_family(alpha, family)
    return smallest(lambda n: 4.0**-n <= alpha / (2 * family))
