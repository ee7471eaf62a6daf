"""Regret of a monitor's choices in action values (equation 4 of arXiv 2610.36544): E[|Delta| 1{wrong action}]."""

from __future__ import annotations

import numpy as np

from analysis.arms import Pool, one_pool
from analysis.monitors.watched import Watched
from analysis.task_draws import Estimate, Floats, TaskDraws


def action_regret(
    pool: Pool, watched: Watched, threshold: float, t: int, budget: int, *, replicates: int, seed: int
) -> Estimate:
    """Success lost at decision call ``t`` by taking the worse action where task and call are all that is known.

    Delta is q - p of the task at t, plug-in; an attempt that is live at t is restarted where its latest score reaches
    the threshold (infinity: never), continued else. Weights as for gains: 1/n of its task for each live attempt, tasks
    equal, so the number can be held against a gain.
    """
    arms = one_pool(pool, t, budget)
    delta = arms.y / np.maximum(arms.m, 1) - arms.x / np.maximum(arms.n, 1)
    latest = np.full(len(pool.call), -np.inf)
    readings = watched.readings
    early = (readings.call <= t) & ~np.isnan(readings.score)
    latest[readings.attempt[early]] = readings.score[early]  # sorted by call: the latest is written last
    restart = latest >= threshold
    mine = delta[pool.cell]
    wrong = pool.live(t) & np.where(restart, mine > 0, mine < 0)
    total = np.bincount(pool.cell, weights=np.abs(mine) * wrong, minlength=len(pool.size))
    lost: Floats = total / np.maximum(pool.size, 1)
    draws = TaskDraws(len(pool.size), replicates, seed)
    return draws.estimate(lambda n: n @ lost / len(lost))
