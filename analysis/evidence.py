"""What it costs to show that something hardly ever succeeds (section 4.3, equations 17 and 18)."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import ArrayLike, NDArray

from analysis.errors import InputError


def tail(alpha: float, family: int) -> float:
    """Error of one tail of one interval: alpha/(4M), of 2M two-sided intervals."""
    if not 0 < alpha < 1:
        raise InputError(f"{alpha!r} is not between 0 and 1", file="--alpha", mend="use for example 0.05")
    if family < 1:
        raise InputError(f"a family of {family} comparisons", file="--family", mend="count tasks x times, at least 1")
    return alpha / (4 * family)


def zero_success_upper(n: ArrayLike, alpha: float, family: int) -> NDArray[np.float64]:
    """U_0(n) = 1 - (alpha/4M)^(1/n): upper end after n attempts without a success (equation 17). 1 at n = 0."""
    size = np.asarray(n, dtype=np.float64)
    if (size < 0).any():
        raise InputError(f"{size.min():g} attempts", file="--n", mend="use 0 or more")
    with np.errstate(divide="ignore"):
        return -np.expm1(math.log(tail(alpha, family)) / size)


def attempts_for_upper(epsilon: float, alpha: float, family: int) -> int:
    """Smallest n with U_0(n) <= epsilon: ceil(log(alpha/4M) / log(1 - epsilon)) (equation 18)."""
    if not 0 < epsilon < 1:
        raise InputError(f"{epsilon!r} is not between 0 and 1", file="--epsilon", mend="use for example 0.10")
    n = max(1, math.ceil(math.log(tail(alpha, family)) / math.log1p(-epsilon)))
    # The quotient can round across a whole number; the definition decides.
    while n > 1 and zero_success_upper(n - 1, alpha, family) <= epsilon:
        n -= 1
    while zero_success_upper(n, alpha, family) > epsilon:
        n += 1
    return n
