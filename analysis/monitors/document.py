"""A monitor on recorded attempts as JSON: discrimination, restartability, opportunity and realised utility together."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np

from analysis.alarms import AlarmValue, alarm_values
from analysis.arms import Pool, pool_of
from analysis.cells import Cell
from analysis.monitors.rule import RuleValue, rule_value
from analysis.monitors.watched import Watched, first_alarms
from analysis.opportunity import Cohort
from analysis.task_draws import Estimate, Floats, TaskDraws


@dataclass(frozen=True)
class Choices:
    """How a monitor is evaluated: calls, but for ``kappa``, expected success that monitoring an attempt costs.

    ``threshold``: None: scores only, nothing is said of alarms; infinity: there is never an alarm.
    """

    budget: int
    times: Sequence[int]
    threshold: float | None
    kappa: float = 0.0
    recovery_calls: int = 0
    replicates: int = 2000
    seed: int = 1


def cohorts_document(cells: Sequence[Cell], watched: Watched, choices: Choices) -> list[dict[str, Any]]:
    """One entry per cohort, in order of appearance.

    Raises:
        InputError, NotIdentified: as ``alarms.alarm_values``.
    """
    pool = pool_of(cells, choices.budget)
    cohorts: dict[Cohort, list[int]] = {}
    for i, cell in enumerate(cells):
        key = cell.key
        cohorts.setdefault(Cohort(key.runtime, key.stage, key.digest, key.origin, key.arm), []).append(i)
    rows = timed_values(cells, pool, watched, choices)
    value = None
    if choices.threshold is not None:
        value = rule_value(pool, watched, choices.threshold, choices.budget, choices.kappa, choices.recovery_calls)
    found = []
    for cohort, members in cohorts.items():
        read = np.isin(pool.cell, members) & np.isin(np.arange(len(pool.call)), watched.readings.attempt)
        found.append(
            dict(cohort._asdict())
            | {"tasks": len(members), "attempts": int(pool.size[members].sum()), "read": int(read.sum())}
            | {"rule": rule_document(value, np.array(members), choices) if value else None}
            | {"times": [_row(row, calls) for row, calls in rows if row.cohort == cohort]}
        )
    return found


def timed_values(
    cells: Sequence[Cell], pool: Pool, watched: Watched, choices: Choices
) -> list[tuple[AlarmValue, int]]:
    """Values at each decision call, and the calls of monitoring that are charged there: the most of any attempt."""
    readings = watched.readings.at_threshold(choices.threshold)
    found = []
    for t in choices.times:
        live = pool.live(t)[watched.readings.attempt] & (watched.readings.call <= t)
        calls = int(watched.asked[live].max(initial=0))
        rows = alarm_values(
            cells, readings, budget=choices.budget, times=[t], monitoring_calls=calls, kappa=choices.kappa,
            replicates=choices.replicates, seed=choices.seed,
        )  # fmt: skip
        found += [(row, calls) for row in rows]
    return found


def rule_document(value: RuleValue, members: np.ndarray[Any, Any], choices: Choices) -> dict[str, Any]:
    """The rule that restarts once at the first alarm, on the tasks of ``members``, with resampled tasks."""
    draws = TaskDraws(len(members), choices.replicates, choices.seed)

    def mean(column: Floats) -> dict[str, float | None]:
        mine = column[members]
        return estimate(draws.estimate(lambda n: n @ mine / len(members)))

    return {
        "threshold": value.threshold if value.threshold != np.inf else None,
        **{name: mean(getattr(value, name)) for name in ("gain", "free_gain", "alarms", "false_alarms", "asked")},
    }


def scores_document(cells: Sequence[Cell], watched: Watched, choices: Choices) -> list[dict[str, Any]]:
    """Every attempt with its readings and the call of its first alarm, attempts in the order of the cells."""
    pool = pool_of(cells, choices.budget)
    at = np.inf if choices.threshold is None else choices.threshold
    alarms = first_alarms(pool, watched, at, choices.budget)
    readings = watched.readings
    starts = np.searchsorted(readings.attempt, np.arange(len(pool.call) + 1))
    found = []
    for i, (cell, position) in enumerate(zip(pool.cell, pool.position, strict=True)):
        key, repeats = cells[cell].key, cells[cell].repeat
        mine = slice(starts[i], starts[i + 1])
        if repeats is None or mine.start == mine.stop:
            continue
        found.append(
            {
                "stage": key.stage, "runtime": key.runtime, "arm": key.arm, "task": key.task,
                "repeat": int(repeats[position]), "verified": bool(pool.verified[i]), "call": int(pool.call[i]),
                "alarm": int(alarms.call[i]) or None,
                "readings": [
                    {"call": int(call), "score": None if np.isnan(score) else float(score), "asked": int(asked)}
                    for call, score, asked in zip(
                        readings.call[mine], readings.score[mine], watched.asked[mine], strict=True
                    )
                ],
            }
        )  # fmt: skip
    return found


def estimate(ends: Estimate) -> dict[str, float | None]:
    """An estimate as JSON."""
    return dict(ends._asdict())


def _row(row: AlarmValue, calls: int) -> dict[str, Any]:
    fields = asdict(row)
    del fields["cohort"]
    lost = fields.pop("information_lost")
    values = {name: estimate(Estimate(*v)) if isinstance(v, tuple) else v for name, v in fields.items()}
    return {
        **values, "monitoring_calls": calls,
        "information_lost": {name: estimate(Estimate(*ends)) for name, ends in lost.items()},
    }  # fmt: skip
