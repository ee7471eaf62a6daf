"""What an alarm is worth: from four numbers, or from an event table and a table of alarms."""

from __future__ import annotations

import json
import math
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from harness.cli import analysing_checkpoints
from harness.cli.analysing_events import (
    Database,
    Events,
    Json,
    Named,
    Runtimes,
    Stages,
    columns,
    load_table,
    named_stages,
    names,
    percent,
    told,
)
from harness.cli.numbers import whole_numbers
from harness.errors import InputError

if TYPE_CHECKING:
    from analysis.alarms import AlarmValue
    from analysis.task_draws import Estimate

_SEEN = {"task": "only the task", "alarm": "only the alarm", "nothing": "neither"}


def add_to(app: typer.Typer) -> None:
    """Registers the command."""
    app.command()(value)


def value(
    named: Named = None,
    q: Annotated[float | None, typer.Option("--q", help="Success of continuing a live attempt.")] = None,
    p: Annotated[float | None, typer.Option("--p", help="Success of one clean restart within the calls left.")] = None,
    tau: Annotated[float | None, typer.Option(help="Alarm rate on failing continuations.")] = None,
    phi: Annotated[float | None, typer.Option(help="Alarm rate on succeeding continuations.")] = None,
    alarms: Annotated[
        Path | None, typer.Option(help="CSV of alarms: [stage, runtime, arm,] task, repeat, call, score or flag.")
    ] = None,
    threshold: Annotated[float | None, typer.Option(help="A score from which on there is an alarm.")] = None,
    budget: Annotated[int | None, typer.Option(min=2, help="Total calls B.")] = None,
    times: Annotated[str | None, typer.Option(help="Decision calls, such as 4,8,12.")] = None,
    monitoring_calls: Annotated[int, typer.Option(min=0, help="Calls that monitoring takes from the budget.")] = 0,
    kappa: Annotated[float, typer.Option(min=0, help="Success that monitoring costs a live attempt.")] = 0.0,
    replicates: Annotated[int, typer.Option(min=100, help="Bootstrap replicates, of tasks.")] = 2000,
    seed: Annotated[int, typer.Option(min=0, help="Seed of the bootstrap.")] = 1,
    features: Annotated[
        Path | None, typer.Option(help="Of a checkpoint stage: CSV of checkpoint and further representations.")
    ] = None,
    events: Events = None,
    stages: Stages = None,
    runtime: Runtimes = None,
    database: Database = None,
    as_json: Json = False,
) -> None:
    """Say what an alarm is worth in success, beside how well it discriminates."""
    wanted = None if events else named_stages(named, stages)
    states = analysing_checkpoints.checkpoint_stage(database, wanted)
    if states is not None:
        analysing_checkpoints.refuse({
            "--q": q, "--p": p, "--tau": tau, "--phi": phi, "--alarms": alarms, "--threshold": threshold,
            "--budget": budget, "--times": times, "--monitoring-calls": monitoring_calls or None,
        })  # fmt: skip
        analysing_checkpoints.value_stage(
            states, features=features, kappa=kappa, replicates=replicates, seed=seed,
            runtimes=names(runtime, "--runtime"), database=database, as_json=as_json,
        )  # fmt: skip
        return
    analysing_checkpoints.refuse({"--features": features}, "outside a checkpoint stage")
    if alarms is None:
        _from_numbers({"q": q, "p": p, "tau": tau, "phi": phi}, as_json)
        return
    if any(number is not None for number in (q, p, tau, phi)):
        raise InputError("were given beside --alarms", file="--q, --p, --tau, --phi", mend="give one or the other")
    if budget is None or times is None:
        raise InputError("are needed with --alarms", file="--budget, --times", mend="--budget 30 --times 4,8,12")
    if threshold is not None and not math.isfinite(threshold):
        raise InputError(f"{threshold} is not a finite number", file="--threshold", mend="give a score, such as 0.5")
    from analysis.alarm_table import read_alarms
    from analysis.alarms import alarm_values
    from analysis.cells import cells_of

    at = whole_numbers(times, "--times")
    with told():
        cells = cells_of(load_table(events, database, named_stages(named, stages), names(runtime, "--runtime")))
        readings = read_alarms(alarms, cells).at_threshold(threshold)
        found = alarm_values(
            cells,
            readings,
            budget=budget,
            times=at,
            monitoring_calls=monitoring_calls,
            kappa=kappa,
            replicates=replicates,
            seed=seed,
        )
    settings = {"budget": budget, "times": at, "threshold": threshold, "monitoring_calls": monitoring_calls}
    settings |= {"kappa": kappa, "replicates": replicates, "seed": seed, "unmatched_rows": readings.unmatched}
    if as_json:
        typer.echo(json.dumps({**settings, "rows": [_row(row) for row in found]}, allow_nan=False))
        return
    for line in _lines(found, settings):
        typer.echo(line)


def _from_numbers(given: dict[str, float | None], as_json: bool) -> None:
    missing = [f"--{name}" for name, number in given.items() if number is None]
    if missing:
        raise InputError("missing", file=", ".join(missing), mend="give --q --p --tau --phi, or --alarms FILE")
    from analysis import value as worth

    q, p, tau, phi = (float(number) for number in given.values() if number is not None)
    with told():
        even = float(worth.break_even(q, tau, phi))
        found: dict[str, Any] = {
            **given,
            "gain": float(worth.gain(q, p, tau, phi)),
            "break_even": None if even != even else even,
            "ceiling": float(worth.ceiling(q, p)),
            "clairvoyant_extra": float(worth.clairvoyant_extra(q, p)),
            "accuracy": float(worth.accuracy(q, tau, phi)),
            "aliasing_regret": float(worth.aliasing_regret(p)),
        }
    if as_json:
        typer.echo(json.dumps(found, allow_nan=False))
        return
    typer.echo(f"q = {q:g}, p = {p:g}, alarm on {percent(tau)} % of failures and {percent(phi)} % of successes")
    typer.echo(f"  gain against continuing         {percent(found['gain'])} points")
    typer.echo(f"  gains only where p exceeds      {percent(found['break_even'])} %")
    typer.echo(f"  ceiling of any alarm            {percent(found['ceiling'])} points")
    typer.echo(f"  perfect alarm over best action  {percent(found['clairvoyant_extra'])} points")
    typer.echo(f"  accuracy, which p leaves alone  {percent(found['accuracy'])} %")
    typer.echo(f"  regret under aliasing p/(1+p)   {percent(found['aliasing_regret'])} points")


def _row(row: AlarmValue) -> dict[str, Any]:
    fields = asdict(row)
    cohort = fields.pop("cohort")
    lost = fields.pop("information_lost")

    def estimate(ends: Any) -> dict[str, float | None]:
        return dict(zip(("value", "low", "high"), ends, strict=True))

    estimates = {name: estimate(ends) if isinstance(ends, tuple) else ends for name, ends in fields.items()}
    place = {"runtime": cohort.runtime, "stage": cohort.stage, "arm": cohort.arm, "origin": cohort.origin}
    return {**place, **estimates, "information_lost": {name: estimate(ends) for name, ends in lost.items()}}


def _lines(found: Sequence[AlarmValue], settings: dict[str, Any]) -> list[str]:
    def shown(estimate: Estimate) -> str:
        if estimate.value is None:
            return "not defined"
        if estimate.low is None:
            return percent(estimate.value)
        return f"{percent(estimate.value)} [{percent(estimate.low)}, {percent(estimate.high)}]"

    calls = settings["monitoring_calls"]
    lines = [
        f"budget {settings['budget']}, monitoring {calls} call{'' if calls == 1 else 's'} and {settings['kappa']:g} of "
        f"success; 95 % intervals from {settings['replicates']} resamples of tasks, seed {settings['seed']}; in %"
    ]
    if settings["unmatched_rows"]:
        lines.append(f"{settings['unmatched_rows']} rows of alarms are about attempts that are not counted here")
    for row in found:
        place = f"{row.cohort.stage} {row.cohort.runtime} {row.cohort.arm}, call {row.t}"
        lines.append(f"{place}: {row.live} live attempts of {row.tasks} tasks, {row.unread} without a reading")
        table = [
            ["alarm rate on failures", shown(row.tau)],
            ["alarm rate on successes", shown(row.phi)],
            ["AUROC", shown(row.auroc)],
            ["restartability p", shown(row.restartability)],
            ["continuation q", shown(row.continuation)],
            ["ceiling (perfect alarm)", shown(row.ceiling)],
            ["better action per task", shown(row.task_oracle)],
            ["realised gain", shown(row.gain)],
            ["net of monitoring", shown(row.net_gain)],
            ["regret to perfect alarm", shown(row.regret)],
            ["regret to better action", shown(row.regret_to_oracle)],
            *([f"lost by seeing {_SEEN[key]}", shown(loss)] for key, loss in row.information_lost.items()),
        ]
        lines += columns(table)
    return lines
