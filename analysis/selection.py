"""Macro values of cutoffs, the best of them, and what choosing them costs: leave-one-task-out."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from analysis.errors import InputError

#: Values closer than this are one value: sums of the same fractions in another order differ in their last bits.
TIE = 1e-9


class Fold(NamedTuple):
    """One fold: the held-out task, the cutoff that the others choose, its value on the held-out task."""

    task: str
    cutoff: int
    value: float


class LeaveOneTaskOut(NamedTuple):
    """Folds in task order and the mean of their values."""

    folds: tuple[Fold, ...]
    value: float


def macro_values(values: NDArray[np.float64]) -> NDArray[np.float64]:
    """Mean over tasks, equal weight (equation 21). ``values`` has shape (tasks, policies)."""
    return values.mean(axis=0)


def best_cutoffs(macro: NDArray[np.float64], cutoffs: Sequence[int]) -> list[int]:
    """All cutoffs that attain the largest macro value, ascending."""
    return sorted(cutoff for cutoff, value in zip(cutoffs, macro, strict=True) if value >= macro.max() - TIE)


def leave_one_task_out(values: NDArray[np.float64], tasks: Sequence[str], cutoffs: Sequence[int]) -> LeaveOneTaskOut:
    """Each fold picks the best cutoff on the other tasks, ties to the longer one, and scores it on its own task.

    Args:
        values: shape (tasks, cutoffs).

    Raises:
        InputError: fewer than two tasks.
    """
    if len(tasks) < 2:
        raise InputError(
            f"leave-one-task-out needs two tasks, there is {len(tasks)}", mend="take a stage with more tasks"
        )
    folds = []
    for row, task in enumerate(tasks):
        pick = best_cutoffs(np.delete(values, row, axis=0).mean(axis=0), cutoffs)[-1]
        folds.append(Fold(task, pick, float(values[row, list(cutoffs).index(pick)])))
    return LeaveOneTaskOut(tuple(folds), float(np.mean([fold.value for fold in folds])))
