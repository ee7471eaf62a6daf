"""What a cohort offers at a decision call: live tasks, constant restart, task oracle, perfect alarm.

Sections 5.8 and 6.3 of arXiv 2610.36544. Plug-in references on the attempts at hand, not deployable policies: no
observed restart success is no proof of none.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from analysis.arms import one_pool, pool_of
from analysis.cells import Cell


class Cohort(NamedTuple):
    """Tasks of one stage under one runtime and arm; never pooled with others."""

    runtime: str
    stage: str
    digest: str
    origin: str
    arm: str


class Opportunity(NamedTuple):
    """Changes of task-macro success against continuing every live attempt, as fractions.

    ``live_cells``: tasks with a live attempt at t. ``restart_minus_continue``: restart every live attempt.
    ``task_oracle``: the better action per task. ``perfect_alarm``: restart exactly the continuations that will fail.
    """

    cohort: Cohort
    t: int
    tasks: int
    live_cells: int
    restart_minus_continue: float
    task_oracle: float
    perfect_alarm: float


def opportunities(cells: Sequence[Cell], budget: int, times: Sequence[int]) -> list[Opportunity]:
    """One row per cohort and time, in the order in which cohorts appear.

    A task without counted attempts weighs as a task in which nothing was live.

    Raises:
        InputError, NotIdentified: cells that are not observed through the budget.
    """
    pool = pool_of(cells, budget)
    numbers: dict[Cohort, int] = {}
    of = np.empty(len(cells), dtype=np.int64)
    for i, cell in enumerate(cells):
        key = cell.key
        cohort = Cohort(key.runtime, key.stage, key.digest, key.origin, key.arm)
        of[i] = numbers.setdefault(cohort, len(numbers))
    tasks = np.bincount(of, minlength=len(numbers))
    columns = []
    for t in times:
        arms = one_pool(pool, t, budget)
        share = arms.m / np.maximum(arms.n, 1)
        p, q = arms.x / np.maximum(arms.n, 1), arms.y / np.maximum(arms.m, 1)
        effects = (share * (p - q), share * np.maximum(p - q, 0), share * (1 - q) * p)
        live = np.bincount(of, weights=arms.m > 0, minlength=len(numbers))
        columns.append((live, *(np.bincount(of, weights=e, minlength=len(numbers)) / tasks for e in effects)))
    return [
        Opportunity(cohort, t, int(tasks[i]), int(live[i]), float(restart[i]), float(oracle[i]), float(perfect[i]))
        for cohort, i in numbers.items()
        for t, (live, restart, oracle, perfect) in zip(times, columns, strict=True)
    ]
