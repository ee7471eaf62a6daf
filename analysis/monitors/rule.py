"""What a rule is worth that restarts an attempt once, at its first alarm, with monitoring charged to the budget.

For attempt i of task j under budget B, Y_i = 1{T_i <= B}, and F_j is the completion of fresh attempts. With a first
alarm after call a and m questions asked by then, the attempt succeeds with F_j(B - a - m); without an alarm, and with m
questions asked before its event, it succeeds if T_i + m <= B. The gain is the mean change against Y, attempts of a task
equally weighted, tasks equal: E[A (Y_R - Y_C)] of section 4.1 of arXiv 2610.36544, the calls of monitoring charged. F_j
is plug-in, from all fresh attempts of the task.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from analysis.arms import Pool
from analysis.monitors.watched import Watched, first_alarms
from analysis.task_draws import Floats


@dataclass(frozen=True)
class RuleValue:
    """A rule at a threshold, by task. Arrays of shape (cells,); fractions, but for ``asked``, calls per attempt."""

    threshold: float
    gain: Floats
    """Change of success, monitoring charged."""
    free_gain: Floats
    """The same if monitoring took no calls."""
    alarms: Floats
    """Share of attempts with an alarm."""
    false_alarms: Floats
    """Share of attempts with an alarm that would have succeeded."""
    asked: Floats
    """Calls that monitoring takes, per attempt."""

    @property
    def macro_gain(self) -> float:
        """The gain, tasks equally weighted; 0 of no task."""
        return float(self.gain.mean()) if len(self.gain) else 0.0


def rule_value(
    pool: Pool, watched: Watched, threshold: float, budget: int, kappa: float = 0.0, recovery_calls: int = 0
) -> RuleValue:
    """The value of restarting once at the first score of ``threshold`` or more; infinity: never.

    Args:
        kappa: expected success that monitoring an attempt costs otherwise.
        recovery_calls: calls that the restart itself takes from the budget.
    """
    continued = pool.verified & (pool.call <= budget)
    charged = _success(pool, watched, threshold, budget, recovery_calls)
    alarms = first_alarms(pool, watched, threshold, budget)
    size = np.maximum(pool.size, 1)

    def mean(column: NDArray[np.generic]) -> Floats:
        weights = column.astype(np.float64)
        return np.bincount(pool.cell, weights=weights, minlength=len(size)).astype(np.float64) / size

    return RuleValue(
        threshold=threshold,
        gain=mean(charged - continued) - kappa,
        free_gain=mean(_success(pool, watched.unasked(), threshold, budget, recovery_calls) - continued),
        alarms=mean(alarms.raised),
        false_alarms=mean(alarms.raised & continued),
        asked=mean(alarms.asked),
    )


def _success(pool: Pool, watched: Watched, threshold: float, budget: int, recovery: int) -> Floats:
    """Chance of success of each attempt under the rule; shape (attempts,)."""
    alarms = first_alarms(pool, watched, threshold, budget)
    goes_on = pool.verified & (pool.call + alarms.asked <= budget)
    return np.where(alarms.raised, completion_at(pool, budget - alarms.call - alarms.asked - recovery), goes_on)


def completion_at(pool: Pool, calls: NDArray[np.int64]) -> Floats:
    """F(calls) of each attempt's own cell; shape (attempts,)."""
    found = np.zeros(len(pool.call))
    for cell in range(len(pool.size)):
        mine = np.flatnonzero(pool.cell == cell)
        passes = np.sort(pool.call[mine][pool.verified[mine]])
        found[mine] = np.searchsorted(passes, calls[mine], side="right") / max(len(mine), 1)
    return found
