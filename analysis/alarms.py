"""A monitor in decision terms: discrimination, restartability, opportunity, realised utility and regret, side by side.

The decision is at a call t under budget B: a live attempt whose latest reading (after call t at the latest) is an alarm
is replaced by one clean restart with the calls left. A live attempt without a reading raises no alarm. Weights are
task-macro: 1/n_j for each attempt of task j, tasks equal. Values are plug-in: p of a task comes from all its attempts.
Intervals are percentiles of a bootstrap of tasks; information values are non-negative by construction and biased upward
in small samples, which their intervals do not mend.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from analysis.alarm_table import Readings
from analysis.arms import Pool, pool_of
from analysis.cells import Cell
from analysis.errors import InputError
from analysis.opportunity import Cohort
from analysis.task_draws import CHUNK, Estimate, Floats, TaskDraws


@dataclass(frozen=True)
class AlarmValue:
    """A monitor at one decision call in one cohort. Probabilities and their changes are fractions.

    Discrimination: ``tau``, ``phi``, ``auroc`` (of the scores, for failing continuations). ``restartability``: p over
    live attempts; ``continuation``: q. ``ceiling``: gain of the perfect alarm; ``task_oracle``: of the better action
    per task; ``clairvoyant_extra``: of the perfect alarm over that. ``gain``: realised, against continuing every live
    attempt unmonitored; ``net_gain``: with the monitoring calls and kappa charged. ``regret``: ceiling - net_gain;
    ``regret_to_oracle``: task_oracle - net_gain, positive when knowing the task alone would have been better.
    ``information_lost``: V(task and alarm) - V(key), for the keys ``task``, ``alarm`` and ``nothing``. All but auroc
    that depend on alarms are None where the readings hold scores without a threshold.
    """

    cohort: Cohort
    t: int
    tasks: int
    live: int
    unread: int
    tau: Estimate
    phi: Estimate
    auroc: Estimate
    restartability: Estimate
    continuation: Estimate
    ceiling: Estimate
    task_oracle: Estimate
    clairvoyant_extra: Estimate
    gain: Estimate
    net_gain: Estimate
    regret: Estimate
    regret_to_oracle: Estimate
    information_lost: dict[str, Estimate]


def alarm_values(
    cells: Sequence[Cell],
    readings: Readings,
    *,
    budget: int,
    times: Sequence[int],
    monitoring_calls: int = 0,
    kappa: float = 0.0,
    replicates: int = 2000,
    seed: int = 1,
) -> list[AlarmValue]:
    """One row per cohort and time.

    Args:
        cells, readings: the event table and what the monitor said (``Readings.at_threshold`` turns scores into flags).
        monitoring_calls: calls that monitoring takes from the budget of every live attempt, whichever action follows.
        kappa: expected utility (success probability) that monitoring a live attempt costs otherwise.
        replicates, seed: of the bootstrap.

    Raises:
        InputError: impossible arguments, or a horizon below the budget.
        NotIdentified: attempts censored before the budget.
    """
    if monitoring_calls < 0 or not np.isfinite(kappa) or kappa < 0:
        what = f"monitoring cannot cost {monitoring_calls} calls and {kappa} of utility"
        raise InputError(what, file="--monitoring-calls, --kappa", mend="use numbers of 0 or more")
    for t in times:
        if not 1 <= t < budget - monitoring_calls:
            raise InputError(
                f"time {t} leaves no decision under budget {budget} with {monitoring_calls} calls for monitoring",
                file="--times",
                mend=f"use calls from 1 to {budget - monitoring_calls - 1}",
            )
    pool = pool_of(cells, budget)
    cohorts: dict[Cohort, list[int]] = {}
    for i, cell in enumerate(cells):
        key = cell.key
        cohorts.setdefault(Cohort(key.runtime, key.stage, key.digest, key.origin, key.arm), []).append(i)
    rows = []
    for t in times:
        decision = _Decision(pool, readings, t, budget, monitoring_calls, kappa)
        for cohort, members in cohorts.items():
            rows.append((cohort, t, decision.valued(cohort, np.array(members), replicates, seed)))
    order = {cohort: i for i, cohort in enumerate(cohorts)}
    return [value for _, _, value in sorted(rows, key=lambda row: (order[row[0]], row[1]))]


class _Decision:
    """Attempts of all cells at one decision call."""

    def __init__(self, pool: Pool, readings: Readings, t: int, budget: int, calls: int, kappa: float):
        self.pool, self.t, self.kappa = pool, t, kappa
        self.live = pool.live(t)
        self.weight = 1.0 / np.maximum(pool.size, 1)[pool.cell]
        self.success = pool.verified & (pool.call <= budget)
        self.charged_success = pool.verified & (pool.call <= budget - calls)
        self.p = _shares(pool, pool.verified & (pool.call <= budget - t))
        self.charged_p = _shares(pool, pool.verified & (pool.call <= budget - t - calls))
        count = len(pool.call)
        flag, score = np.full(count, -1, dtype=np.int8), np.full(count, np.nan)
        early = readings.call <= t
        # Sorted by call within the attempt, so the last one written is the latest.
        flag[readings.attempt[early]] = readings.flag[early]
        score[readings.attempt[early]] = readings.score[early]
        self.read = np.zeros(count, dtype=np.bool_)
        self.read[readings.attempt[early]] = True
        self.flag, self.score = flag, score

    def valued(self, cohort: Cohort, members: NDArray[np.int64], replicates: int, seed: int) -> AlarmValue:
        """Values of one cohort; ``members`` are its cells."""
        task = np.full(len(self.pool.size), -1)
        task[members] = np.arange(len(members))
        mine = np.flatnonzero(self.live & (task[self.pool.cell] >= 0))
        of, w = task[self.pool.cell[mine]], self.weight[mine]
        y, alarm = self.success[mine], self.flag[mine] > 0
        judged = not bool((self.read[mine] & (self.flag[mine] < 0)).any())
        tasks = len(members)

        def total(column: Floats) -> Floats:
            return np.bincount(of, weights=column, minlength=tasks).astype(np.float64)

        live, fails, passes = total(w), total(w * ~y), total(w * y)
        p = self.p[members]
        q = np.divide(passes, live, out=np.zeros(tasks), where=live > 0)
        perfect, oracle = live * (1 - q) * p, live * np.maximum(p - q, 0)
        extra = live * np.minimum((1 - q) * p, q * (1 - p))
        true_alarms, false_alarms = total(w * (alarm & ~y)), total(w * (alarm & y))
        gain = total(w * alarm * (p[of] - y))
        charged = np.where(alarm, self.charged_p[members][of], self.charged_success[mine])
        net = total(w * (charged - y)) - self.kappa * live
        advantage = np.stack([total(w * (p[of] - y) * (alarm == a)) for a in (False, True)], axis=1)
        draws = TaskDraws(tasks, replicates, seed)

        def mean(column: Floats) -> Estimate:
            return draws.estimate(lambda n: n @ column / tasks)

        def ratio(above: Floats, below: Floats) -> Estimate:
            return draws.estimate(lambda n: _divided(n @ above, n @ below))

        def lost(key: Callable[[Floats], Floats]) -> Estimate:
            both = np.maximum(advantage, 0).sum(axis=1)
            return draws.estimate(lambda n: (n @ both - key(n)) / tasks)

        unknown = Estimate(None, None, None)
        return AlarmValue(
            cohort=cohort,
            t=self.t,
            tasks=tasks,
            live=len(mine),
            unread=int((~self.read[mine]).sum()),
            tau=ratio(true_alarms, fails) if judged else unknown,
            phi=ratio(false_alarms, passes) if judged else unknown,
            auroc=draws.estimate(_auroc(self.score[mine], ~y, w, of)),
            restartability=ratio(live * p, live),
            continuation=ratio(passes, live),
            ceiling=mean(perfect),
            task_oracle=mean(oracle),
            clairvoyant_extra=mean(extra),
            gain=mean(gain) if judged else unknown,
            net_gain=mean(net) if judged else unknown,
            regret=mean(perfect - net) if judged else unknown,
            regret_to_oracle=mean(oracle - net) if judged else unknown,
            information_lost={
                "task": lost(lambda n: n @ np.maximum(advantage.sum(axis=1), 0)),
                "alarm": lost(lambda n: np.maximum(n @ advantage, 0).sum(axis=1)),
                "nothing": lost(lambda n: np.maximum((n @ advantage).sum(axis=1), 0)),
            }
            if judged
            else dict.fromkeys(("task", "alarm", "nothing"), unknown),
        )


def _shares(pool: Pool, which: NDArray[np.bool_]) -> Floats:
    return pool.per_cell(which) / np.maximum(pool.size, 1)


def _divided(above: Floats, below: Floats) -> Floats:
    return np.divide(above, below, out=np.full(np.shape(above), np.nan), where=below > 1e-12)


def _auroc(score: Floats, fails: NDArray[np.bool_], w: Floats, of: NDArray[np.int64]) -> Callable[[Floats], Floats]:
    """Weighted chance that a failing continuation scores above a succeeding one, ties half."""
    known = np.flatnonzero(~np.isnan(score))
    order = known[np.argsort(score[known], kind="stable")]
    fails, w, of = fails[order], w[order], of[order]
    first = np.flatnonzero(np.append(True, np.diff(score[order]) != 0)) if len(order) else order

    def statistic(counts: Floats) -> Floats:
        if len(order) == 0:
            return np.full(len(counts), np.nan)
        step = max(1, CHUNK // len(order))
        return np.concatenate([part(counts[begin : begin + step]) for begin in range(0, len(counts), step)])

    def part(counts: Floats) -> Floats:
        weights = counts[:, of] * w
        bad = np.add.reduceat(weights * fails, first, axis=1)
        good = np.add.reduceat(weights * ~fails, first, axis=1)
        below = np.cumsum(good, axis=1) - good / 2
        return _divided((bad * below).sum(axis=1), bad.sum(axis=1) * good.sum(axis=1))

    return statistic
