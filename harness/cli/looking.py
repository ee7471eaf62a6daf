"""Commands after a collection: status, show, export."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

if TYPE_CHECKING:
    from harness.store.events import EventRow
    from harness.store.store import Store

Json = Annotated[bool, typer.Option("--json", help="Print one JSON document and nothing else.")]
Database = Annotated[str | None, typer.Option(help="Database path or URL.")]


def add_to(app: typer.Typer) -> None:
    """Registers the commands."""
    app.command()(status)
    app.command()(show)
    app.command()(export)


def status(
    stage: Annotated[str, typer.Argument(help="Name of a stage.")],
    attempts: Annotated[bool, typer.Option("--attempts", help="List the attempts with their ids.")] = False,
    watch: Annotated[bool, typer.Option("--watch", help="Follow a collection until nothing is left.")] = False,
    every: Annotated[float, typer.Option(min=0.1, help="With --watch: seconds between two looks.")] = 2.0,
    database: Database = None,
    as_json: Json = False,
) -> None:
    """Say how far a stage is: planned and finished attempts, events, excluded tries, cost."""
    from harness.cli.options import database_place

    if watch:
        from harness.cli.watching import follow
        from harness.errors import InputError

        if as_json or attempts:
            raise InputError("goes with no other view", file="--watch", mend="leave out --json and --attempts")
        follow(database_place(database), stage, every)
        return
    from harness.cli.analysing_events import protocol_of
    from harness.cli.text import money
    from harness.collection.status import stage_status
    from harness.store.store import Store

    with Store.open(database_place(database), create=False) as store:
        found = stage_status(store, stage)
        rows = list(store.event_rows(stage)) if attempts else []
        planned = store.attempts(stage)
        unknown = sum(cell.unknown_costs for cell in store.counts(stage))
        kind = protocol_of(store, stage).get("kind")
    if as_json:
        typer.echo(json.dumps(found))
        return
    ids = {(a.task, a.runtime, a.arm, a.repeat): a.id for a in planned}
    origins = {a.runtime: a.origin for a in planned}
    typer.echo(f"stage {found['stage']}, digest {found['digest'][:16] or 'unknown'}")
    for row in [*found["runtimes"], {"runtime": "all", **found}]:
        events = ", ".join(f"{count} {name}" for name, count in row["events"].items())
        origin = f"  ({origins[row['runtime']]})" if row["runtime"] in origins else ""
        typer.echo(f"  {row['runtime']:<16} {row['finished']:>4} of {row['planned']} finished: {events}{origin}")
    typer.echo(f"  excluded tries: {found['excluded_tries']}; {money(found['cost_usd'], unknown)}")
    if kind == "patch_algebra":
        typer.echo(f"  it has no attempts but unions of failed patches: restartlab compositions {found['stage']}")
    for event in rows:
        ended = f"{event.event} at call {event.call}" + (f" ({event.reason})" if event.reason else "")
        shown = ended if event.valid else f"excluded: {event.exclusion} at call {event.call}"
        key = (event.task, event.runtime, event.arm, event.repeat)
        name = f"{event.task:<14} {event.runtime:<14} {event.arm} #{event.repeat}"
        typer.echo(f"  {ids[key][:12]}  {name} try {event.try_}: {shown}")


def show(
    attempt: Annotated[str, typer.Argument(help="Beginning of an attempt's id.")],
    full: Annotated[bool, typer.Option("--full", help="Whole outputs instead of their first lines.")] = False,
    patch: Annotated[bool, typer.Option("--patch", help="Its last workspace as a git patch against the base.")] = False,
    call: Annotated[int | None, typer.Option("--call", help="With --patch: the workspace after this call.")] = None,
    database: Database = None,
) -> None:
    """Show one attempt, call by call: commands, outputs, verdicts, and where it passed."""
    from harness.cli.options import database_place
    from harness.cli.show_patch import write_patch
    from harness.cli.showing import attempt_lines
    from harness.errors import InputError
    from harness.store.store import Store

    if call is not None and not patch:
        raise InputError("chooses the state of a patch", file="--call", mend="add --patch")
    with Store.open(database_place(database), create=False) as store:
        view = store.attempt(attempt)
    if patch:
        for line in write_patch(view, call, sys.stdout.buffer):
            typer.echo(line, err=True)
        return
    for line in attempt_lines(view, lines_of_output=None if full else 12):
        typer.echo(line)


def export(
    stages: Annotated[list[str], typer.Argument(help="Names of stages.")],
    output: Annotated[
        Path | None, typer.Option("--output", "-o", help="CSV or Parquet file; standard output. Of atif: a folder.")
    ] = None,
    shape: Annotated[
        str | None, typer.Option("--format", help="csv, parquet, or atif; else as the file's name ends.")
    ] = None,
    regrade: Annotated[
        str | None, typer.Option(help="Number of a regrade, or latest: its events instead of those on record.")
    ] = None,
    database: Database = None,
) -> None:
    """Write the event table: a row per try, without prompts, commands, paths, outputs; or, with atif, trajectories."""
    import io
    from itertools import chain

    from harness.cli.options import database_place
    from harness.collection.status import stage_status
    from harness.errors import InputError
    from harness.store import events
    from harness.store.store import Store

    shape = shape or ("parquet" if output is not None and output.suffix == ".parquet" else "csv")
    if shape not in ("csv", "parquet", "atif"):
        raise InputError(f"unknown format {shape!r}", file="--format", mend="csv, parquet or atif")
    if shape == "parquet" and output is None:
        raise InputError("a Parquet table is a file", file="--output", mend="give its name: -o FILE.parquet")
    with Store.open(database_place(database), create=False) as store:
        for stage in stages:
            stage_status(store, stage)
        if shape == "atif":
            if regrade is not None:
                raise InputError("changes events, not trajectories", file="--regrade", mend="leave it out with atif")
            from harness.cli.export_atif import export_trajectories

            export_trajectories(store, stages, output)
            return
        rows: Iterator[EventRow] = chain.from_iterable(store.event_rows(stage) for stage in sorted(set(stages)))
        if regrade is not None:
            rows = _regraded_rows(store, stages, regrade)
        if output is None:
            text = io.TextIOWrapper(sys.stdout.buffer, encoding="utf-8", newline="", write_through=True)
            events.write_csv(rows, text)
            text.detach()
            return
        fresh = output.with_name(f".{output.name}.new")
        try:
            if shape == "parquet":
                count = events.write_parquet(rows, fresh)
            else:
                with open(fresh, "w", encoding="utf-8", newline="") as stream:
                    count = events.write_csv(rows, stream)
            fresh.replace(output)
        except OSError as error:
            what = f"cannot be written ({error.strerror or error})"
            raise InputError(what, file=output, mend="check folder and permissions") from None
        finally:
            fresh.unlink(missing_ok=True)
    typer.echo(f"{count} rows in {output}", err=True)


def _regraded_rows(store: Store, stages: list[str], which: str) -> Iterator[EventRow]:
    from harness.errors import InputError

    if len(set(stages)) > 1:
        raise InputError("goes with one stage", file="--regrade", mend="export the stages one by one")
    regrade = store.regrade(stages[0], which)
    rows = store.regraded_rows(regrade)
    covered = {_key(row) for row in rows}
    left_out = sum(row.valid and _key(row) not in covered for row in store.event_rows(stages[0]))
    also = f"; {left_out} attempts that it does not cover are left out" if left_out else ""
    typer.echo(f"events of regrade {regrade.id} ({regrade.at}){also}", err=True)
    return iter(rows)


def _key(row: EventRow) -> tuple[str, str, str, int, int]:
    return row.task, row.runtime, row.arm, row.repeat, row.try_
