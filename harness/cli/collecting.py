"""The ``collect`` command."""

from __future__ import annotations

import signal
import sys
from typing import Annotated

import typer

from harness.cli.composing import collect_compositions, is_composing
from harness.cli.options import Datasets, Repos, database_place, use_sources
from harness.errors import Incomplete


def add_to(app: typer.Typer) -> None:
    """Registers the command."""
    app.command()(collect)


def collect(
    stage: Annotated[str, typer.Argument(help="Name of a frozen stage.")],
    runtime: Annotated[str | None, typer.Option(help="Runtime set, or one runtime; the stage's default set.")] = None,
    workers: Annotated[
        int | None, typer.Option(min=1, help="Attempts at once; the number of cores, here or in the cluster.")
    ] = None,
    model_calls: Annotated[
        int | None, typer.Option(min=1, help="Model calls in flight at once; as many as there are workers.")
    ] = None,
    sandboxes: Annotated[
        int | None, typer.Option(min=1, help="Commands and verifications at once; as many as there are workers.")
    ] = None,
    max_cost: Annotated[
        float | None,
        typer.Option(help="US dollars, all tries of the stage so far included; reaching it stops new attempts."),
    ] = None,
    limit: Annotated[int | None, typer.Option(min=1, help="Run at most this many attempts.")] = None,
    task: Annotated[list[str] | None, typer.Option(help="Only this task; may be repeated.")] = None,
    dataset: Datasets = None,
    repos: Repos = None,
    redo_excluded: Annotated[bool, typer.Option(help="Also retry attempts that were lost many times.")] = False,
    database: Annotated[str | None, typer.Option(help="Database path or URL.")] = None,
    engine: Annotated[str, typer.Option(help="local, or ray: the Ray cluster at --address.")] = "local",
    address: Annotated[str, typer.Option(help="Ray cluster; auto: the one this machine belongs to.")] = "auto",
    plain: Annotated[bool, typer.Option(help="Plain lines instead of a live table.")] = False,
) -> None:
    """Collect what a frozen stage still lacks. The same command resumes."""
    from harness.cli.views import LiveView, PlainView, closing_lines
    from harness.collection.collect import Collection
    from harness.collection.terms import Options

    use_sources(dataset, repos)
    if is_composing(stage):
        collect_compositions(stage, runtime or None, task, database)
        return
    options = Options(
        stage=stage, database=database_place(database), runtime=runtime or None,
        workers=workers, engine=engine, address=address, limit=limit, tasks=tuple(task or ()),
        redo_excluded=redo_excluded, model_calls=model_calls, sandboxes=sandboxes, max_cost=max_cost,
    )  # fmt: skip
    view = PlainView() if plain or not sys.stdout.isatty() else LiveView()
    collection = Collection(options, view)
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        if signal.getsignal(number) != signal.SIG_IGN:  # nohup wants it to go on
            signal.signal(number, lambda *_: collection.stop())
    with view:
        summary = collection.run()
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, signal.SIG_IGN)  # the interpreter's end would give them their deadly meaning back
    for line in closing_lines(summary, options):
        typer.echo(line)
    if summary.interrupted:
        raise typer.Exit(130)
    if summary.unqualified:
        named = "; ".join(f"{name}: {why}" for name, why in summary.unqualified.items())
        raise Incomplete(f"not collected, as the gate failed: {named}")
    if summary.spent and summary.remaining:
        raise Incomplete(f"{summary.remaining} attempts are still without a counted try: {summary.spent}")
    if summary.remaining and not (limit and summary.ran >= limit):
        raise Incomplete(f"{summary.remaining} attempts are still without a counted try; run the same command again")
