"""Differences of macro values, paired by task: of two policies on the same attempts, or of two arms."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial

from analysis.bootstrap import (
    REPLICATES,
    SEED,
    Interval,
    interval_of,
    interval_of_samples,
    intervals,
    macro_samples,
    mixed,
    resampled,
)
from analysis.cells import Cell
from analysis.errors import InputError
from analysis.lattice import MOST_POINTS, difference
from analysis.laws import Matrix
from analysis.replay import check_identified, policy_values, replay
from analysis.schedules import Schedule


@dataclass(frozen=True)
class Contrast:
    """A difference of two macro values (fractions) and its bootstrap interval."""

    difference: float
    interval: Interval


def policy_contrasts(
    cells: Sequence[Cell],
    schedules: Sequence[Schedule],
    baseline: Schedule,
    budget: int,
    *,
    replicates: int = REPLICATES,
    seed: int = SEED,
    most: int = MOST_POINTS,
) -> list[Contrast]:
    """Each schedule minus ``baseline``, both on the same resamples of the cells of one runtime and arm.

    Args:
        most: lattice points up to which ends are exact.

    Raises:
        NotIdentified: as ``replay``.
    """
    both = [*schedules, baseline]
    macro = replay(cells, both, budget).mean(axis=0)
    found = resampled(cells, budget, partial(_values, schedules=both))
    last = len(schedules)
    ends = intervals(found, [(i, last) for i in range(last)], replicates=replicates, seed=seed, most=most)
    return [Contrast(float(macro[i] - macro[last]), ends[i]) for i in range(last)]


def policy_intervals(
    cells: Sequence[Cell],
    schedules: Sequence[Schedule],
    budget: int,
    *,
    replicates: int = REPLICATES,
    seed: int = SEED,
    most: int = MOST_POINTS,
) -> list[Interval]:
    """Bootstrap interval of each schedule's macro value (pointwise bands of policy curves); as ``policy_contrasts``."""
    for cell in cells:
        check_identified(cell, schedules, budget)
    found = resampled(cells, budget, partial(_values, schedules=schedules))
    return intervals(found, [(i, None) for i in range(len(schedules))], replicates=replicates, seed=seed, most=most)


def arm_contrast(
    treated: Sequence[Cell],
    control: Sequence[Cell],
    schedule: Schedule,
    budget: int,
    *,
    replicates: int = REPLICATES,
    seed: int = SEED,
    most: int = MOST_POINTS,
) -> Contrast:
    """``treated`` minus ``control``: tasks are resampled together, attempts within each arm by themselves.

    Raises:
        InputError: the arms do not hold the same tasks, each once.
        NotIdentified: as ``replay``.
    """
    ones, others = ({cell.key.task: cell for cell in cells} for cells in (treated, control))
    if ones.keys() != others.keys() or len(ones) != len(treated) or len(others) != len(control):
        odd = sorted(ones.keys() ^ others.keys()) or sorted(ones)
        raise InputError(
            f"the arms are not paired by task (see {', '.join(odd[:5])})", mend="give both arms the same tasks"
        )
    pairs = [(ones[task], others[task]) for task in sorted(ones)]
    evaluate = partial(_values, schedules=[schedule])
    sides = [[pair[side] for pair in pairs] for side in (0, 1)]
    values = [replay(side, [schedule], budget).mean() for side in sides]
    found = [resampled(side, budget, evaluate) for side in sides]
    per_task = [one.task_laws(0) for one in found]
    law = None
    if per_task[0] is not None and per_task[1] is not None:
        laws = [difference(*both) for both in zip(per_task[0], per_task[1], strict=True)]
        law = mixed(laws, [cell.n for cell in (*sides[0], *sides[1])], most)
    if law is not None:
        ends = interval_of(law)
    else:
        one, other = macro_samples(found, replicates, seed)
        ends = interval_of_samples((one - other)[:, 0], seed)
    return Contrast(float(values[0] - values[1]), ends)


def _values(passes: Matrix, ends: Matrix, schedules: Sequence[Schedule]) -> Matrix:
    return policy_values(passes, ends, schedules)
