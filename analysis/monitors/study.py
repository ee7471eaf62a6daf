"""A monitor tested against continuation and a fixed time, as JSON: opportunity, calibration, regret, success, cost.

Thresholds come in frozen; nothing here chooses one. Calibration attempts and held-out attempts are never pooled.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from analysis.arms import pool_of
from analysis.cells import Cell, cells_of
from analysis.errors import AnalysisError
from analysis.monitors.acted import Acted, AttemptName, cost_rows, success_document
from analysis.monitors.document import Choices, estimate, rule_document, timed_values
from analysis.monitors.regret import action_regret
from analysis.monitors.reliability import reliability
from analysis.monitors.rule import rule_value
from analysis.monitors.watched import Watched
from analysis.opportunity import opportunities
from analysis.table import EventTable

#: Arms of a monitor stage, and the two groups of its tasks.
CONTINUATION, FIXED_TIME, MONITOR = ARMS = ("continuation", "fixed-time", "monitor")
GROUPS = ("calibration", "held-out")


@dataclass(frozen=True)
class MonitorStage:
    """A monitor stage under one runtime.

    ``table``: its events; ``calibration``: tasks; ``record``: what was frozen (thresholds by arm, None: no alarm ever;
    promised gains), None before that; ``watched``: by group and acting arm, the readings of the attempts that nobody
    acted on, matched to ``cells_of_group``; ``acted``: what monitoring did, by attempt.
    """

    table: EventTable
    monitor: str
    calibration: Sequence[str]
    budget: int
    times: Sequence[int]
    kappa: float
    record: Mapping[str, Any] | None
    watched: Mapping[tuple[str, str], Watched]
    acted: Mapping[AttemptName, Acted] = field(default_factory=dict)
    unfinished: int = 0
    """Planned attempts without a counted try: the document is an early look."""

    @property
    def origin(self) -> str:
        """Of the attempts."""
        return ", ".join(sorted(self.table.values["origin"][code] for code in set(self.table["origin"].tolist())))


def cells_of_group(table: EventTable, calibration: Sequence[str], group: str, arm: str = CONTINUATION) -> list[Cell]:
    """Cells of an arm on the calibration tasks, or on the others."""
    wanted = group == GROUPS[0]
    return [cell for cell in cells_of(table, arms=[arm]) if (cell.key.task in calibration) == wanted]


def study_document(tested: MonitorStage, *, replicates: int = 2000, seed: int = 1) -> dict[str, Any]:
    """The document of one runtime; parts that cannot be had yet, or are not identified, are null with the reason."""
    choices = Choices(tested.budget, tested.times, None, tested.kappa, 0, replicates, seed)
    record = tested.record
    document: dict[str, Any] = {
        "monitor": tested.monitor, "budget": tested.budget, "times": list(tested.times), "kappa": tested.kappa,
        "tasks": [{"group": group, "tasks": _tasks(tested, group)} for group in GROUPS],
        "frozen": dict(record) if record else None, "unfinished": tested.unfinished,
        "refused": None, "opportunity": [], "calibration": None, "discrimination": [], "regret": [],
        "success": None, "cost": [],
    }  # fmt: skip
    try:
        return document | _parts(tested, choices)
    except AnalysisError as error:
        return document | {"refused": str(error)}


def _parts(tested: MonitorStage, choices: Choices) -> dict[str, Any]:
    cells = {group: cells_of_group(tested.table, tested.calibration, group) for group in GROUPS}
    parts: dict[str, Any] = {
        "opportunity": [
            {"group": group, **{name: getattr(row, name) for name in row._fields if name != "cohort"}}
            for group in GROUPS
            for row in opportunities(cells[group], tested.budget, tested.times)
        ]
    }
    if tested.record is None:
        return parts | {"refused": "the thresholds are not frozen: calibration attempts are not finished"}
    held = {arm: cells_of_group(tested.table, tested.calibration, GROUPS[1], arm) for arm in ARMS}
    if not all(held.values()):
        return parts | {"refused": "held-out attempts are not finished in every arm"}
    for arm_cells in held.values():
        pool_of(arm_cells, tested.budget)  # refuses what was not observed through the budget
    thresholds = {arm: _threshold(tested.record, arm) for arm in (FIXED_TIME, MONITOR)}
    success = success_document(held, choices)
    return parts | {
        "calibration": {
            "arms": [_kept_promise(tested, arm, thresholds[arm], held[CONTINUATION], success, choices)
                     for arm in (FIXED_TIME, MONITOR)],
            "reliability": reliability(
                {group: (pool_of(cells[group], tested.budget), tested.watched[group, MONITOR]) for group in GROUPS},
                tested.budget, GROUPS[0],
            ),
        },
        "discrimination": [
            _discrimination(group, arm, cells[group], tested.watched[group, arm], thresholds[arm], choices)
            for group in GROUPS
            for arm in (FIXED_TIME, MONITOR)
        ],
        "regret": _regret(tested, held[CONTINUATION], thresholds, choices),
        "success": success,
        "cost": cost_rows(tested.table, ARMS, _tasks(tested, GROUPS[1]), tested.acted),
    }  # fmt: skip


def _tasks(tested: MonitorStage, group: str) -> list[str]:
    return sorted({cell.key.task for cell in cells_of_group(tested.table, tested.calibration, group)})


def _threshold(record: Mapping[str, Any], arm: str) -> float:
    found = record["thresholds"][arm]
    return np.inf if found is None else float(found)


def _kept_promise(
    tested: MonitorStage, arm: str, threshold: float, cells: Sequence[Cell], success: Mapping[str, Any],
    choices: Choices,
) -> dict[str, Any]:  # fmt: skip
    """What calibration promised, what the same rule is worth on held-out continuations, what the arm really gained."""
    assert tested.record is not None
    watched = tested.watched[GROUPS[1], arm]
    if not np.isfinite(threshold):
        watched = watched.unasked()  # a monitor that never alarms is not run
    pool = pool_of(cells, tested.budget)
    value = rule_value(pool, watched, threshold, tested.budget, _kappa(arm, threshold, choices))
    rule = rule_document(value, np.arange(len(cells)), choices)
    realised = next(row for row in success["contrasts"] if (row["of"], row["against"]) == (arm, CONTINUATION))
    promised = tested.record["promised"][arm]
    return {
        "arm": arm, "monitor": promised["monitor"], "threshold": tested.record["thresholds"][arm],
        "promised": promised["gain"], "replayed": rule["gain"], "replayed_free": rule["free_gain"],
        "realised": {name: realised[name] for name in ("value", "low", "high")}, "alarms": rule["alarms"],
    }  # fmt: skip


def _kappa(arm: str, threshold: float, choices: Choices) -> float:
    return choices.kappa if arm == MONITOR and np.isfinite(threshold) else 0.0


def _discrimination(
    group: str, arm: str, cells: Sequence[Cell], watched: Watched, threshold: float, choices: Choices
) -> dict[str, Any]:
    """How the score tells failing from succeeding continuations, beside what a restart could gain at all."""
    pool = pool_of(cells, choices.budget)
    mine = replace(choices, threshold=threshold, kappa=_kappa(arm, threshold, choices))
    rows = timed_values(cells, pool, watched, mine)
    shown = ("tau", "phi", "auroc", "restartability", "continuation", "ceiling", "net_gain")
    return {
        "group": group, "arm": arm,
        "times": [
            {"t": row.t, "live": row.live, "monitoring_calls": calls}
            | {name: estimate(getattr(row, name)) for name in shown}
            for row, calls in rows
        ],
    }  # fmt: skip


def _regret(
    tested: MonitorStage, cells: Sequence[Cell], thresholds: Mapping[str, float], choices: Choices
) -> list[dict[str, Any]]:
    """Action-value regret of each arm's choices at the decision calls, on held-out continuations."""
    pool = pool_of(cells, tested.budget)
    watched = {arm: tested.watched[GROUPS[1], arm] for arm in (FIXED_TIME, MONITOR)}
    chosen = {CONTINUATION: (watched[MONITOR], np.inf)}
    chosen |= {arm: (watched[arm], thresholds[arm]) for arm in watched}
    return [
        {"arm": arm, "t": t}
        | estimate(action_regret(pool, seen, at, t, tested.budget, replicates=choices.replicates, seed=choices.seed))
        for arm, (seen, at) in chosen.items()
        for t in tested.times
    ]
