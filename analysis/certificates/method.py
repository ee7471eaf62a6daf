"""What the certificates have in common: their interface, and the refusal of designs for which they are not valid."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

from analysis.arms import Arms, Design
from analysis.errors import InputError
from analysis.intervals import Interval

#: Directions that a certificate can claim.
RESTART, CONTINUE, UNRESOLVED = 1, -1, 0


class Ruling(NamedTuple):
    """What a method says about k comparisons.

    ``decision``: int8, shape (k,), one of RESTART, CONTINUE, UNRESOLVED. The intervals are None for methods that test
    the sign without bounding the arms.
    """

    decision: NDArray[np.int8]
    restart_interval: Interval | None = None
    continue_interval: Interval | None = None


class Method(Protocol):
    """One file of this package. alpha is the error of the whole family, family its number M of comparisons."""

    NAME: str
    CLAIM: str
    """What a restart decision asserts."""
    OPTIONAL_STOPPING: bool
    """Whether it stays valid when collection was stopped by looking at outcomes."""
    WHY_NOT: Mapping[Design, str]
    """The designs for which it is not valid, each with the reason and the mend."""

    def decide(self, arms: Arms, alpha: float, family: int) -> Ruling:
        """Rules on every comparison. The caller has checked the design."""

    def attainable_n(self, alpha: float, family: int) -> int:
        """Smallest n an arm at which the best outcome, n of n against 0 of n, is certified."""


def check(method: Method, design: Design, *, optional_stopping: bool = False) -> None:
    """Refuses a design for which the method's error is not controlled.

    Raises:
        InputError: with the reason and a design or method that would do.
    """
    if design in method.WHY_NOT:
        what = f"{method.NAME} is not valid for the {design.value} design: {method.WHY_NOT[design]}"
        raise InputError(what, file="--method")
    if optional_stopping and not method.OPTIONAL_STOPPING:
        raise InputError(
            f"{method.NAME} is not valid under optional stopping: its error holds for a number of attempts that was "
            "fixed before outcomes",
            file="--method",
            mend="use betting, whose wealth may be looked at after every pair",
        )


def check_family(alpha: float, family: int) -> None:
    """Refuses an alpha outside (0, 1) and an empty family."""
    if not 0 < alpha < 1:
        raise InputError(f"{alpha!r} is not between 0 and 1", file="--alpha", mend="use for example 0.05")
    if family < 1:
        raise InputError(f"a family of {family} comparisons", file="--family", mend="count tasks x times, at least 1")


def directions(restart: NDArray[np.bool_], continue_: NDArray[np.bool_]) -> NDArray[np.int8]:
    """Codes of two one-sided claims; both at once (possible for equal rates in a weak test) resolve nothing."""
    return restart.astype(np.int8) - continue_.astype(np.int8)


def smallest(holds: Callable[[int], bool]) -> int:
    """Smallest n >= 1 at which a condition holds that never fails again afterwards."""
    high = 1
    while not holds(high):
        high *= 2
    low = high // 2
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if holds(middle) else (middle, high)
    return high
