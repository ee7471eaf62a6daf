"""One-sided Fisher exact test on the 2x2 table of independent arms, each direction at alpha/(2M)."""

from __future__ import annotations

from collections.abc import Mapping
from math import comb

import numpy as np
from numpy.typing import NDArray

from analysis.arms import Arms, Counts, Design
from analysis.certificates.method import Ruling, check_family, directions, smallest

NAME = "fisher"
CLAIM = "p > q"
OPTIONAL_STOPPING = False
WHY_NOT: Mapping[Design, str] = {
    Design.ONE_POOL: "the arms share attempts, and the test conditions on the margins of independent arms; "
    "use the split design or a checkpoint panel, or clopper-pearson or weak-sign",
    Design.PAIRS: "it compares counts, not pairs; use the split design, or paired-sign or betting",
}


def p_value(x: Counts, n: Counts, y: Counts, m: Counts) -> NDArray[np.float64]:
    """P(X >= x | x + y), X hypergeometric: of the hypothesis p <= q. 1 where an arm is empty. Shape (k,)."""
    from scipy.stats import hypergeom

    # The fresh arm is n draws from n + m outcomes of which x + y are successes.
    return np.minimum(hypergeom.sf(x - 1, n + m, x + y, n), 1.0)


def decide(arms: Arms, alpha: float, family: int) -> Ruling:
    """Rules on every comparison."""
    check_family(alpha, family)
    level = alpha / (2 * family)
    restart = p_value(arms.x, arms.n, arms.y, arms.m) <= level
    return Ruling(directions(restart, p_value(arms.y, arms.m, arms.x, arms.n) <= level))


def attainable_n(alpha: float, family: int) -> int:
    """Smallest n with 1/C(2n, n) <= alpha/(2M)."""
    check_family(alpha, family)
    return smallest(lambda n: 1 / comb(2 * n, n) <= alpha / (2 * family))
