"""What a monitor would have been worth on recorded attempts, and how one did that acted."""

from __future__ import annotations

import csv
import json
import math
from collections.abc import Sequence
from pathlib import Path
from typing import Annotated, Any

import typer

from harness.cli.analysing_events import (
    Database,
    Events,
    Json,
    Named,
    Runtimes,
    load_table,
    names,
    stage_plan,
    told,
)
from harness.cli.monitor_view import recorded_lines, study_lines
from harness.cli.numbers import whole_numbers
from harness.errors import Incomplete, InputError


def add_to(app: typer.Typer) -> None:
    """Registers the command."""
    app.command()(monitor)


def monitor(
    named: Named = None,
    which: Annotated[str | None, typer.Option("--monitor", help="NAME[:key=value,...]; see docs/monitors.md.")] = None,
    threshold: Annotated[float | None, typer.Option(help="A score from which on there is an alarm.")] = None,
    budget: Annotated[int | None, typer.Option(min=2, help="Total calls B; the plan's if left out.")] = None,
    times: Annotated[str | None, typer.Option(help="Decision calls, such as 4,8,12; the plan's.")] = None,
    arm: Annotated[list[str] | None, typer.Option("--arm", help="Arms, comma-separated (repeatable).")] = None,
    kappa: Annotated[float, typer.Option(min=0, help="Success that monitoring costs an attempt.")] = 0.0,
    recovery_calls: Annotated[int, typer.Option(min=0, help="Calls that a restart itself takes.")] = 0,
    trajectories: Annotated[
        Path | None, typer.Option(help="Folder of exported trajectories (export --format atif); with --events.")
    ] = None,
    scores: Annotated[Path | None, typer.Option(help="Write the scores as CSV, for value --alarms.")] = None,
    replicates: Annotated[int, typer.Option(min=100, help="Bootstrap replicates, of tasks.")] = 2000,
    seed: Annotated[int, typer.Option(min=0, help="Seed of the bootstrap.")] = 1,
    events: Events = None,
    runtime: Runtimes = None,
    database: Database = None,
    as_json: Json = False,
) -> None:
    """Say what a monitor's alarms would have been worth on recorded attempts, or how it did in its own stage."""
    if which is None:
        _study(names(named, "STAGE"), names(runtime, "--runtime"), database, replicates, seed, as_json)
        return
    if (events is None) != (trajectories is None):
        raise InputError("go together", file="--events, --trajectories", mend="give both, or read the database")
    if threshold is not None and not math.isfinite(threshold):
        raise InputError(f"{threshold} is not a finite number", file="--threshold", mend="give a score, such as 6")
    from analysis.cells import cells_of
    from analysis.monitors.document import Choices, cohorts_document, scores_document
    from harness.monitors.catalogue import make_monitor, parse_spec
    from harness.monitors.readings import score_recorded, watched_cells

    spec = parse_spec(which)
    make_monitor(spec)
    stages = names(named, "STAGE")
    with told():
        table = load_table(events, database, stages, names(runtime, "--runtime"))
        cells = cells_of(table, arms=names(arm, "--arm"))
        if not cells:
            raise InputError("no attempt is left", file="--arm", mend=f"arms: {', '.join(sorted(table.values['arm']))}")
        held = sorted({cell.key.stage for cell in cells})
        plan = {} if events else stage_plan(database, held)
        choices = Choices(
            budget or plan.get("budget") or int(min(cell.horizon.min() for cell in cells)),
            whole_numbers(times, "--times") if times else plan.get("times") or [],
            threshold, kappa, recovery_calls, replicates, seed,
        )  # fmt: skip
        watched = watched_cells(cells, score_recorded(spec, _recorded(held, database, trajectories)))
        document: dict[str, Any] = {
            "monitor": spec.text, "threshold": threshold, "budget": choices.budget, "times": list(choices.times),
            "kappa": kappa, "recovery_calls": recovery_calls, "replicates": replicates, "seed": seed,
            "unmatched": watched.readings.unmatched, "cohorts": cohorts_document(cells, watched, choices),
            "scores": scores_document(cells, watched, choices),
        }  # fmt: skip
    if scores is not None:
        _write_scores(document["scores"], scores)
    if as_json:
        typer.echo(json.dumps(document, allow_nan=False))
        return
    for line in recorded_lines(document):
        typer.echo(line)


def _study(
    stages: Sequence[str] | None, runtimes: Sequence[str] | None, database: str | None, replicates: int, seed: int,
    as_json: bool,
) -> None:  # fmt: skip
    """A monitor stage: the test that it was made for."""
    if not stages or len(stages) > 1:
        mend = "name one monitor stage, or any stages with --monitor NAME (docs/monitors.md)"
        raise InputError(f"{len(stages or ())} stages were named", file="STAGE", mend=mend)
    from analysis.monitors.study import study_document
    from harness.cli.options import database_place
    from harness.monitors.monitored import monitor_stage_of
    from harness.store.store import Store

    with told(), Store.open(database_place(database), create=False) as store:
        tested = monitor_stage_of(store, stages[0], runtimes)
        found = [
            {"runtime": name, "origin": one.origin} | study_document(one, replicates=replicates, seed=seed)
            for name, one in tested.items()
        ]
    document = {"stage": stages[0], "replicates": replicates, "seed": seed, "runtimes": found}
    if as_json:
        typer.echo(json.dumps(document, allow_nan=False))
    else:
        for line in study_lines(document):
            typer.echo(line)
    waiting = [one["runtime"] for one in found if one["refused"] or one["unfinished"]]
    if waiting or not found:
        raise Incomplete(f"not complete: {', '.join(waiting) or 'no attempt has ended'}")


def _recorded(stages: Sequence[str], database: str | None, folder: Path | None) -> Any:
    """The recorded attempts of the folder, or of the database."""
    from harness.cli.options import database_place
    from harness.monitors.sources import recorded_in_folder, recorded_in_store
    from harness.store.store import Store

    if folder is not None:
        yield from recorded_in_folder(folder)
        return
    with Store.open(database_place(database), create=False) as store:
        yield from recorded_in_store(store, stages)


def _write_scores(found: Sequence[dict[str, Any]], file: Path) -> None:
    try:
        with open(file, "w", encoding="utf-8", newline="") as stream:
            writer = csv.writer(stream, lineterminator="\n")
            writer.writerow(["stage", "runtime", "arm", "task", "repeat", "call", "score"])
            for one in found:
                place = [one[name] for name in ("stage", "runtime", "arm", "task", "repeat")]
                for row in one["readings"]:
                    if row["score"] is not None:
                        writer.writerow([*place, row["call"], repr(row["score"])])
    except OSError as error:
        raise InputError(f"cannot be written ({error.strerror})", file=file, mend="name a file elsewhere") from None
