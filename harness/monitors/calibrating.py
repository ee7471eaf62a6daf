"""Calibrates the arms of a monitor stage on its calibration attempts, and freezes what was found in the ledger."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np

from analysis.arms import pool_of
from analysis.cells import Cell, cells_of
from analysis.errors import AnalysisError
from analysis.monitors.calibration import calibrate
from harness.canonical import digest_json
from harness.collection.event_cells import table_of
from harness.errors import Incomplete
from harness.monitors.arming import spec_of
from harness.monitors.readings import score_recorded, watched_cells
from harness.monitors.sources import Recorded, recorded_in_store
from harness.protocol.freeze import FrozenStage
from harness.protocol.monitor import CONTINUATION, FIXED_TIME, MONITOR, MonitorPlan
from harness.store.store import Store


def held_out(stage: FrozenStage) -> list[str]:
    """The tasks on which the thresholds are tested, in the order of the stage."""
    assert stage.protocol.monitor is not None
    return [task for task in stage.protocol.tasks if task not in stage.protocol.monitor.calibration]


def unfinished(store: Store, stage: FrozenStage, runtime: str) -> int:
    """Calibration attempts of a runtime without a counted try."""
    assert stage.protocol.monitor is not None
    plan = stage.protocol.monitor
    return len(store.attempts_to_run(stage.protocol.stage, runtimes=[runtime], tasks=plan.calibration))


def freeze_thresholds(store: Store, stage: FrozenStage, runtime: str) -> dict[str, Any]:
    """The frozen record of a runtime; calibrates and records it if there is none.

    Raises:
        Incomplete: calibration attempts are missing, or were cut off before the budget.
        StoreConflict: a held-out attempt has begun already.
    """
    protocol = stage.protocol
    known = store.thresholds(protocol.stage, stage.digest, runtime)
    if known is not None:
        return known
    if left := unfinished(store, stage, runtime):
        raise Incomplete(f"{left} calibration attempts of runtime {runtime} are not finished")
    record = calibration_record(store, stage, runtime)
    store.freeze_thresholds(protocol.stage, stage.digest, runtime, record, held_out(stage))
    found = store.thresholds(protocol.stage, stage.digest, runtime)
    assert found is not None
    return found


def calibration_record(store: Store, stage: FrozenStage, runtime: str) -> dict[str, Any]:
    """What the calibration attempts of a runtime say, read from them alone; raises ``Incomplete``."""
    protocol = stage.protocol
    assert protocol.monitor is not None
    assert protocol.analysis is not None
    plan = protocol.monitor
    cells = cells_of(
        table_of(store, [protocol.stage]), runtimes=[runtime], arms=[CONTINUATION], tasks=plan.calibration
    )  # fmt: skip
    recorded = recorded_in_store(store, [protocol.stage])
    chosen = (one for one in recorded if one.place.task in plan.calibration and one.place.runtime == runtime)
    try:
        return calibrated(plan, cells, chosen, protocol.analysis.budget)
    except AnalysisError as error:
        raise Incomplete(f"runtime {runtime} cannot be calibrated: {error}") from error


def calibrated(plan: MonitorPlan, cells: Sequence[Cell], recorded: Iterable[Recorded], budget: int) -> dict[str, Any]:
    """Thresholds of both acting arms from calibration attempts alone, as JSON data; null where no alarm gains.

    Raises:
        AnalysisError: the attempts were not observed through the budget.
        InputError: the monitor cannot be scored on them.
    """
    kept = [(one.place, list(one.lines)) for one in recorded]
    pool = pool_of(cells, budget)
    thresholds: dict[str, float | None] = {}
    promised: dict[str, Any] = {}
    for arm in (FIXED_TIME, MONITOR):
        spec = spec_of(plan, arm)
        watched = watched_cells(cells, score_recorded(spec, (Recorded(place, iter(lines)) for place, lines in kept)))
        found = calibrate(
            pool, watched, budget, kappa=plan.kappa if arm == MONITOR else 0.0, rule=plan.rule
        )  # fmt: skip
        thresholds[arm] = found.threshold if np.isfinite(found.threshold) else None
        promised[arm] = {
            "monitor": spec.text, "gain": found.gain, "tried": found.tried,
            "alarms": float(found.value.alarms.mean()), "asked": float(found.value.asked.mean()),
        }  # fmt: skip
    events = [
        [cell.key.task, repeat, int(event), int(call)]
        for cell in cells
        for repeat, event, call in zip(
            cell.repeat.tolist() if cell.repeat is not None else (), cell.event, cell.call, strict=True
        )
    ]
    return {
        "rule": plan.rule, "budget": budget, "kappa": plan.kappa, "tasks": list(plan.calibration),
        "attempts": int(pool.size.sum()), "events": digest_json(events), "thresholds": thresholds, "promised": promised,
    }  # fmt: skip
