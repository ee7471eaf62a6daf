"""Commands before a collection: doctor, protocols, freeze, gate."""

from __future__ import annotations

import dataclasses
import json
from typing import Annotated

import typer

from harness.cli.options import Datasets, Repos, use_sources
from harness.errors import Incomplete, InputError

Json = Annotated[bool, typer.Option("--json", help="Print one JSON document and nothing else.")]


def add_to(app: typer.Typer) -> None:
    """Registers the commands."""
    app.command()(doctor)
    app.command()(protocols)
    app.command()(freeze)
    app.command()(gate)


def doctor(
    kind: Annotated[
        str | None, typer.Argument(help="With --sandbox: the kind to attack (bubblewrap, docker, or a plug-in's).")
    ] = None,
    sandbox: Annotated[bool, typer.Option("--sandbox", help="Attack a sandbox from inside: the self-check.")] = False,
    as_json: Json = False,
) -> None:
    """Say what this machine can do, what is missing, and how to mend it; with --sandbox, attack a sandbox."""
    from harness.doctor import examine

    if sandbox:
        from harness.cli.selfchecking import self_check

        self_check(kind or "bubblewrap", as_json)
        return
    if kind is not None:
        raise InputError(f"unexpected {kind!r}", mend=f"restartlab doctor --sandbox {kind}")
    checks = examine()
    if as_json:
        typer.echo(json.dumps({"checks": [dataclasses.asdict(check) for check in checks]}))
    else:
        for check in checks:
            typer.echo(f"{check.state:<5} {check.name:<18} {check.found}")
            if check.mend and check.state != "ok":
                typer.echo(f"      {'':<18} mend: {check.mend}")
    if any(check.state == "bad" for check in checks):
        raise Incomplete("this machine cannot run sandboxes as it is; see the lines marked bad")


def protocols(as_json: Json = False) -> None:
    """List the stages: title, frozen or not, digest, and what has changed since."""
    from harness.protocol.listing import list_protocols

    rows = list_protocols()
    if as_json:
        shown = []
        for row in rows:
            changes = [change._asdict() for change in row.drift]
            shown.append({**dataclasses.asdict(row), "drift": changes, "collectable": row.collectable})
        typer.echo(json.dumps({"protocols": shown}))
        return
    width = max([12, *(len(row.stage) for row in rows)])
    for row in rows:
        state = f"frozen {row.date}" if row.frozen else "not frozen"
        typer.echo(f"{row.stage:<{width}} {state:<18} {(row.digest or '-')[:16]:<17} {row.title or ''}")
        for change in row.drift:
            typer.echo(f"{'':<12} {change.kind}: {change.key}")
        if row.problem:
            typer.echo(f"{'':<12} problem: {row.problem}")


def freeze(
    stage: Annotated[str, typer.Argument(help="Name of the stage.")], dataset: Datasets = None
) -> None:
    """Freeze a stage: write its digest and date to FROZEN.yaml."""
    from harness.protocol.freeze import freeze as freeze_stage

    use_sources(dataset)
    done = freeze_stage(stage)
    said = "frozen" if done.new else f"was frozen on {done.date} already, unchanged"
    typer.echo(f"{done.stage} {said}: {done.digest}")


def gate(
    tasks: Annotated[list[str] | None, typer.Argument(help="Task ids; all, or all of the dataset, by default.")] = None,
    workers: Annotated[int, typer.Option(min=1, help="Tasks gated at once.")] = 2,
    sandbox: Annotated[str, typer.Option(help="Kind of sandbox to qualify them in.")] = "bubblewrap",
    dataset: Datasets = None,
    repos: Repos = None,
    database: Annotated[str | None, typer.Option(help="Database path or URL.")] = None,
    as_json: Json = False,
) -> None:
    """Qualify tasks: base fails, reference passes, wrong repairs fail, other right repairs pass, reset is exact."""
    from harness.cli.options import database_place
    from harness.collection.gating import Gated, run_gates
    from harness.doctor import require_sandbox
    from harness.engines.local import LocalEngine
    from harness.store.store import Store
    from tasks.registry import load_task, task_ids
    from tasks.swebench.source import Swebench

    use_sources(dataset, repos)
    instances = Swebench()
    damaged = [] if tasks else instances.damaged()
    names = tasks or (instances.ids() if dataset else task_ids())
    for name in names:
        load_task(name)
    require_sandbox(sandbox)

    def said(gated: Gated) -> None:
        if gated.result is None:
            text = f"not gated: {gated.problem}"
        elif gated.qualified:
            cases = len(gated.result.mutations), len(gated.result.alternatives)
            text = f"qualified ({cases[0]} mutations rejected, {cases[1]} alternatives accepted)"
            if gated.result.remark:
                text = "qualified (base fails, reference passes; no mutations or alternatives are known)"
            if second := gated.result.second:
                states = ", ".join(f"{case} {state}" for case, state in second["states"].items())
                text += f"; {second['by']} {'agrees' if second['agrees'] else f'SAYS OTHERWISE: {states}'}"
        else:
            text = f"NOT qualified: {gated.complaint}"
        typer.echo(f"{gated.task:<14} {text}", err=as_json)

    with Store.open(database_place(database)) as store, LocalEngine(workers) as engine:
        done = run_gates(engine, store, names, sandbox, said, lambda: None)
    if as_json:
        order = {name: place for place, name in enumerate(names)}
        done.sort(key=lambda gated: order[gated.task])
        typer.echo(json.dumps({"tasks": [gated.result.data() for gated in done if gated.result]}))
    for record in damaged:
        typer.echo(f"not read: {record.error}", err=True)
    bad = [gated.task for gated in done if not gated.qualified]
    typer.echo(f"{len(done) - len(bad)} of {len(done)} tasks qualified", err=as_json)
    if bad:
        raise Incomplete(f"not qualified: {', '.join(bad)}")
    if damaged:
        raise Incomplete(f"{len(damaged)} records of the dataset could not be read")
