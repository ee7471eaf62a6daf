"""Difficulty of tasks: the strict-pass rate of the best calibration system, and what that choice does."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from math import comb

from analysis.errors import InputError
from analysis.intervals import wilson
from analysis.recovery.records import CalibrationSystem
from analysis.recovery.rounding import exact

BANDS = ("Hard", "Medium", "Easy", "Excluded")
_UPPER = ((20, "Hard"), (60, "Medium"), (80, "Easy"))


@dataclass(frozen=True)
class TaskDifficulty:
    """A task's band.

    Args:
        band: None when no calibration system tried the task.
        best: the systems with the highest rate.
        passed, trials: of (the first of) them.
        interval: Wilson's 95 % interval of that rate, as fractions.
        within: bands that the interval reaches; more than one means that the label is not settled.
        synthetic: whether scripted instruments set it.
    """

    task: str
    band: str | None
    best: tuple[str, ...] = ()
    passed: int | None = None
    trials: int | None = None
    interval: tuple[float, float] | None = None
    within: tuple[str, ...] = ()
    synthetic: bool = False


def band(percent: float | Fraction) -> str:
    """The band of a strict-pass rate in percent: at most 20 Hard, 60 Medium, 80 Easy; above that Excluded."""
    rate = percent if isinstance(percent, Fraction) else exact(percent)
    if not 0 <= rate <= 100:
        raise InputError(f"a rate of {float(rate):g} % is not between 0 and 100", mend="give passes of trials")
    return next((name for upper, name in _UPPER if rate <= upper), "Excluded")


def difficulty(task: str, systems: Sequence[CalibrationSystem]) -> TaskDifficulty:
    """The band of a task by the best of the systems that tried it.

    It is synthetic if any system that reaches the best rate is: then no real system is known to set it.
    """
    tried = [(one, *one.passes[task]) for one in systems if one.passes.get(task, (0, 0))[1] > 0]
    if not tried:
        return TaskDifficulty(task, None)
    top = max(Fraction(passed, trials) for _, passed, trials in tried)
    best = [row for row in tried if Fraction(row[1], row[2]) == top]
    _, passed, trials = best[0]
    low, high = (float(end) for end in wilson(passed, trials, 0.05))
    reach = BANDS.index(band(100 * low)), BANDS.index(band(100 * high))
    return TaskDifficulty(
        task, band(100 * top), tuple(row[0].name for row in best), passed, trials, (low, high),
        BANDS[reach[0] : reach[1] + 1], any(row[0].synthetic for row in best),
    )  # fmt: skip


def chance_above(passes: int, trials: int, p: float, systems: int) -> float:
    """P(the best of ``systems`` equal systems passes more than ``passes`` of ``trials``), each trial with chance ``p``.

    What taking the maximum does to a label: three systems with p = 0.15 leave Hard (1 of 5) with chance 0.4174.
    """
    at_most = sum(comb(trials, k) * p**k * (1 - p) ** (trials - k) for k in range(passes + 1))
    return 1 - at_most**systems
