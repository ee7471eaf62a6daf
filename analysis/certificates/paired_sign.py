"""Sign test on disjoint (fresh, continuation) pairs: exact binomial 1/2 on the discordant ones, alpha/(2M) a direction.

Under p <= q a discordant pair favours the fresh attempt with chance at most 1/2, so the test is exact whatever the
rates.
"""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
from numpy.typing import NDArray
from scipy.special import bdtrc

from analysis.arms import Arms, Counts, Design
from analysis.certificates.method import Ruling, check_family, directions, smallest

NAME = "paired-sign"
CLAIM = "p > q"
OPTIONAL_STOPPING = False
WHY_NOT: Mapping[Design, str] = {
    Design.ONE_POOL: "the arms share attempts, so there are no disjoint pairs; use the pairs design, which forms them",
    Design.INDEPENDENT: "counts of two arms do not say which attempts are partners; use the pairs design, or fisher",
}


def p_value(plus: Counts, minus: Counts) -> NDArray[np.float64]:
    """P(Binomial(plus + minus, 1/2) >= plus): of the hypothesis p <= q. 1 without discordant pairs."""
    # bdtrc(k, n, p) = P(X > k)
    return np.where(plus == 0, 1.0, bdtrc(np.maximum(plus, 1) - 1.0, plus + minus, 0.5))


def decide(arms: Arms, alpha: float, family: int) -> Ruling:
    """Rules on every comparison."""
    check_family(alpha, family)
    assert arms.pairs is not None, "a pairs design carries its pairs"
    plus, minus, level = arms.pairs.plus, arms.pairs.minus, alpha / (2 * family)
    return Ruling(directions(p_value(plus, minus) <= level, p_value(minus, plus) <= level))


def attainable_n(alpha: float, family: int) -> int:
    """Smallest number of pairs with 2^-n <= alpha/(2M)."""
    check_family(alpha, family)
    return smallest(lambda n: 0.5**n <= alpha / (2 * family))
