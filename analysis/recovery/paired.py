"""Two systems on the same tasks: differences task by task, and a bootstrap that resamples families of tasks."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from analysis.errors import InputError
from analysis.recovery.composite import trial_quality
from analysis.recovery.records import FLAGS, Attempt, Panel, trials_of

REPLICATES, SEED = 10_000, 20261028
METRICS = ("strict_pass", "quality")


@dataclass(frozen=True)
class TaskDifference:
    """One task: means over the valid trials of both systems, and how many those are."""

    task: str
    family: str
    first: float
    second: float
    first_trials: int
    second_trials: int

    @property
    def difference(self) -> float:
        """First minus second."""
        return self.first - self.second


@dataclass(frozen=True)
class Paired:
    """First minus second system, as a mean over the tasks that both have valid trials of.

    Args:
        metric: ``strict_pass`` (fractions) or ``quality`` (0..100).
        left_out: tasks of which one of them has none.
        low, high: 95 % percentile ends of the bootstrap over families; None with a single family, which says nothing
            about families.
        better, worse, equal: tasks by the sign of their difference.
        safety: trials with each flag, by system; a higher mean can have the worse tail.
    """

    metric: str
    systems: tuple[str, str]
    tasks: tuple[TaskDifference, ...]
    left_out: tuple[str, ...]
    mean: float
    low: float | None
    high: float | None
    families: int
    replicates: int
    seed: int
    better: int
    worse: int
    equal: int
    safety: dict[str, dict[str, int]]


def paired(
    attempts: Sequence[Attempt], first: str, second: str, panel: Panel, metric: str = "strict_pass",
    replicates: int = REPLICATES, seed: int = SEED,
) -> Paired:  # fmt: skip
    """Compares two systems on the tasks that both have valid trials of.

    The bootstrap draws families with replacement and keeps the tasks of a family and the trials of a task: close
    variants of one mechanism are one observation of it.

    Raises:
        InputError: no common task, or an unknown metric.
    """
    if metric not in METRICS:
        raise InputError(f"{metric!r} is no metric", mend=f"there are {', '.join(METRICS)}")
    found = {name: _by_task(trials_of(attempts, name), panel, metric) for name in (first, second)}
    common = sorted(found[first].keys() & found[second].keys())
    if not common:
        raise InputError(f"{first} and {second} have no task in common", mend="compare systems on the same panel")
    families = {one.task: one.family for one in attempts}
    tasks = tuple(
        TaskDifference(task, families[task], float(np.mean(a := found[first][task])),
                       float(np.mean(b := found[second][task])), len(a), len(b))
        for task in common
    )  # fmt: skip
    signs = Counter(int(np.sign(round(one.difference, 12))) for one in tasks)
    low, high = _bootstrap(tasks, replicates, seed) or (None, None)
    return Paired(
        metric, (first, second), tasks, tuple(sorted(found[first].keys() ^ found[second].keys())),
        float(np.mean([one.difference for one in tasks])), low, high, len({one.family for one in tasks}),
        replicates, seed, signs[1], signs[-1], signs[0], {name: _safety(attempts, name) for name in (first, second)},
    )  # fmt: skip


def _by_task(trials: Sequence[Attempt], panel: Panel, metric: str) -> dict[str, list[float]]:
    found: dict[str, list[float]] = {}
    for one in trials:
        value = float(one.strict_pass) if metric == "strict_pass" else trial_quality(one, panel)
        found.setdefault(one.task, []).append(value)
    return found


def _bootstrap(tasks: Sequence[TaskDifference], replicates: int, seed: int) -> tuple[float, float] | None:
    families = sorted({one.family for one in tasks})
    if len(families) < 2:
        return None
    sums: NDArray[np.float64] = np.zeros(len(families))
    sizes: NDArray[np.float64] = np.zeros(len(families))
    for one in tasks:
        sums[families.index(one.family)] += one.difference
        sizes[families.index(one.family)] += 1
    share = np.full(len(families), 1 / len(families))
    draws = np.random.default_rng(seed).multinomial(len(families), share, replicates)
    low, high = np.quantile((draws @ sums) / (draws @ sizes), [0.025, 0.975])
    return float(low), float(high)


def _safety(attempts: Sequence[Attempt], runtime: str) -> dict[str, int]:
    trials = trials_of(attempts, runtime)
    return {flag: sum(flag in one.flags for one in trials) for flag in FLAGS}
