"""Statistics with intervals from resamples of tasks."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]

#: Numbers that a resample holds in memory at once.
CHUNK = 4_000_000


class Estimate(NamedTuple):
    """A value with its 95 % interval; None where the data do not define it (no failing attempt, a single task)."""

    value: float | None
    low: float | None
    high: float | None


class TaskDraws:
    """How often each bootstrap replicate draws each task. The same draws serve every statistic of a cohort."""

    def __init__(self, tasks: int, replicates: int, seed: int):
        self._tasks, self._replicates, self._seed = tasks, replicates, seed

    def estimate(self, statistic: Callable[[Floats], Floats]) -> Estimate:
        """The statistic of every task once, and percentiles 2.5 and 97.5 of the replicates that define it.

        Args:
            statistic: from counts of shape (r, tasks) to values of shape (r,), NaN where undefined.
        """
        value = float(statistic(np.ones((1, self._tasks)))[0])
        if np.isnan(value):
            return Estimate(None, None, None)
        if self._tasks < 2 or self._replicates < 1:
            return Estimate(value, None, None)
        rng = np.random.default_rng(self._seed)
        step = max(1, CHUNK // self._tasks)
        equal = np.full(self._tasks, 1 / self._tasks)
        parts = [
            statistic(rng.multinomial(self._tasks, equal, min(step, self._replicates - begin)).astype(np.float64))
            for begin in range(0, self._replicates, step)
        ]
        low, high = np.nanpercentile(np.concatenate(parts), [2.5, 97.5])
        return Estimate(value, float(low), float(high))
