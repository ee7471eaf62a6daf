"""Weak sign: one-sided Clopper-Pearson bounds at alpha/(2M) each, claiming only p >= q (or p <= q).

Restart if L_R >= U_C. A wrong claim (p < q) needs L_R > p or U_C < q, together at most alpha/M; at most one direction
of a comparison can be wrong, so the family errs with at most alpha though the tails are twice the paper's.
"""

from __future__ import annotations

from collections.abc import Mapping

from analysis.arms import Arms, Counts, Design
from analysis.certificates.method import Ruling, check_family, directions, smallest
from analysis.intervals import Interval, clopper_pearson

NAME = "weak-sign"
CLAIM = "p >= q"
OPTIONAL_STOPPING = False
WHY_NOT: Mapping[Design, str] = {
    Design.PAIRS: "it compares counts, not pairs, and loses the attempts without a partner; use the one-pool design",
}


def bounds(successes: Counts, n: Counts, alpha: float, family: int) -> Interval:
    """Both one-sided bounds of one arm, each at error alpha/(2M)."""
    check_family(alpha, family)
    return clopper_pearson(successes, n, alpha / family)


def decide(arms: Arms, alpha: float, family: int) -> Ruling:
    """Rules on every comparison, with both pairs of one-sided bounds."""
    restart, cont = bounds(arms.x, arms.n, alpha, family), bounds(arms.y, arms.m, alpha, family)
    return Ruling(directions(restart.low >= cont.high, restart.high <= cont.low), restart, cont)


def attainable_n(alpha: float, family: int) -> int:
    """Smallest n with (alpha/2M)^(1/n) >= 1/2."""
    check_family(alpha, family)
    return smallest(lambda n: (alpha / (2 * family)) ** (1 / n) >= 0.5)
