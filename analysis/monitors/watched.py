"""Attempts with what a monitor said of them, and what saying it cost."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from analysis.alarm_table import Readings
from analysis.arms import Pool


@dataclass(frozen=True)
class Watched:
    """Scores of attempts that nobody acted on, and that asking took no calls from.

    ``readings``: sorted by attempt and call; ``asked``: shape (readings,), model calls that monitoring would have taken
    from the attempt's budget up to the reading; ``attempts``: how many attempts were read.
    """

    readings: Readings
    asked: NDArray[np.int64]
    attempts: int

    def unasked(self) -> Watched:
        """The same scores for no calls."""
        return Watched(self.readings, np.zeros_like(self.asked), self.attempts)

    def only(self, chosen: NDArray[np.bool_]) -> Watched:
        """The readings of the marked attempts; shape (attempts,). The numbers of attempts stay as they are."""
        old = self.readings
        keep = chosen[old.attempt]
        kept = Readings(old.attempt[keep], old.call[keep], old.score[keep], old.flag[keep], old.unmatched)
        return Watched(kept, self.asked[keep], len(np.unique(kept.attempt)))


@dataclass(frozen=True)
class FirstAlarms:
    """The first alarm of each attempt while it was live. Arrays of shape (attempts,).

    ``call``: the agent's call after which it came; 0: none. ``asked``: calls that monitoring took up to the alarm, or,
    without one, before the call of the event.
    """

    call: NDArray[np.int64]
    asked: NDArray[np.int64]

    @property
    def raised(self) -> NDArray[np.bool_]:
        """Attempts with an alarm."""
        return self.call > 0


def first_alarms(pool: Pool, watched: Watched, threshold: float, budget: int) -> FirstAlarms:
    """First readings of at least the threshold (infinity: none) that leave a call to spend and an attempt to save."""
    readings = watched.readings
    who, when = readings.attempt, readings.call
    live = (when < pool.call[who]) & (when + watched.asked < budget)
    call, asked = (np.zeros(len(pool.call), dtype=np.int64) for _ in range(2))
    # Sorted by call within the attempt, so the last one written is the latest.
    asked[who[live]] = watched.asked[live]
    with np.errstate(invalid="ignore"):
        raised = np.flatnonzero(live & (readings.score >= threshold))
    # Written from the last to the first, so that the first alarm stays.
    call[who[raised][::-1]] = when[raised][::-1]
    asked[who[raised][::-1]] = watched.asked[raised][::-1]
    return FirstAlarms(call, asked)
