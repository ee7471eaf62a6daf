"""What monitoring did in recorded attempts, and a monitor stage as analysis takes it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from analysis.monitors.acted import Acted, AttemptName
from analysis.monitors.study import GROUPS, MonitorStage, cells_of_group
from harness.collection.event_cells import table_of
from harness.errors import InputError
from harness.monitors.arming import spec_of
from harness.monitors.readings import score_recorded, watched_cells
from harness.monitors.sources import Place, Recorded, recorded_in_store
from harness.outcome import known_total
from harness.protocol.monitor import CONTINUATION, FIXED_TIME, MONITOR, MonitorPlan
from harness.store.store import Store


def acted(lines: Iterable[Mapping[str, Any]]) -> Acted:
    """What monitoring did in one attempt: the first call that it was acted on after, questions, cost and seconds."""
    alarm: int | None = None
    asked = calls = 0
    costs: list[float | None] = []
    seconds = 0.0
    for line in lines:
        match line.get("type"):
            case "reading":
                seconds += line["seconds"]
                alarm = line["after"] if alarm is None and line["acted"] else alarm
            case "statement":
                asked += 1
                calls += bool(line["charged"])
                costs.append(line["cost_usd"])
    return Acted(alarm, asked, calls, known_total(costs), seconds)


def monitor_stage_of(store: Store, stage: str, runtimes: Sequence[str] | None = None) -> dict[str, MonitorStage]:
    """A monitor stage by runtime, of the named ones or all that have a counted attempt.

    Raises:
        InputError: the database holds nothing of it, or it is no monitor stage.
    """
    record = store.stage(stage)
    protocol = (record.protocol or {}).get("protocol") or {} if record else {}
    if record is None or not protocol.get("monitor"):
        raise InputError(f"{stage} is no monitor stage of this database", file="STAGE", mend="give --monitor NAME")
    plan = MonitorPlan.model_validate(protocol["monitor"])
    table = table_of(store, [stage])
    found = {}
    for runtime in sorted(table.values["runtime"]):
        if runtimes is not None and runtime not in runtimes:
            continue
        mine = table.select(table.mask(runtime=[runtime]))
        kept = [
            (one.place, list(one.lines))
            for one in recorded_in_store(store, [stage]) if one.place.runtime == runtime
        ]  # fmt: skip
        left_alone = [(place, lines) for place, lines in kept if place.arm == CONTINUATION]
        found[runtime] = MonitorStage(
            table=mine, monitor=spec_of(plan, MONITOR).text, calibration=tuple(plan.calibration),
            budget=protocol["analysis"]["budget"], times=tuple(protocol["analysis"]["times"]), kappa=plan.kappa,
            record=store.thresholds(stage, record.digest, runtime),
            watched={
                (group, arm): watched_cells(
                    cells, score_recorded(spec_of(plan, arm), (Recorded(place, iter(on)) for place, on in left_alone))
                )
                for group in GROUPS
                if (cells := cells_of_group(mine, plan.calibration, group))
                for arm in (FIXED_TIME, MONITOR)
            },
            acted={_name(place): acted(lines) for place, lines in kept},
            unfinished=sum(cell.planned - cell.finished for cell in store.counts(stage) if cell.runtime == runtime),
        )  # fmt: skip
    return found


def _name(place: Place) -> AttemptName:
    return (place.stage, place.runtime, place.arm, place.task, place.repeat)
