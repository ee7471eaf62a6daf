"""The paper's rule (equation 16): 2M simultaneous Clopper-Pearson intervals, alpha/(4M) a tail.

Restart if L_R > U_C, continue if U_R < L_C. The union bound needs no independence of the arms, so they may overlap.
"""

from __future__ import annotations

from collections.abc import Mapping

from analysis.arms import Arms, Counts, Design
from analysis.certificates.method import Ruling, check_family, directions, smallest
from analysis.intervals import Interval, clopper_pearson

NAME = "clopper-pearson"
CLAIM = "p > q"
OPTIONAL_STOPPING = False
WHY_NOT: Mapping[Design, str] = {
    Design.PAIRS: "it compares counts, not pairs, and loses the attempts without a partner; use the one-pool design",
}


def bounds(successes: Counts, n: Counts, alpha: float, family: int) -> Interval:
    """Interval of one arm at error alpha/(2M)."""
    check_family(alpha, family)
    return clopper_pearson(successes, n, alpha / (2 * family))


def decide(arms: Arms, alpha: float, family: int) -> Ruling:
    """Rules on every comparison, with both intervals."""
    restart, cont = bounds(arms.x, arms.n, alpha, family), bounds(arms.y, arms.m, alpha, family)
    return Ruling(directions(restart.low > cont.high, restart.high < cont.low), restart, cont)


def attainable_n(alpha: float, family: int) -> int:
    """Smallest n with (alpha/4M)^(1/n) > 1/2: 14 at M = 156, 7 at M = 1 (alpha = 0.05)."""
    check_family(alpha, family)
    return smallest(lambda n: (alpha / (4 * family)) ** (1 / n) > 0.5)
