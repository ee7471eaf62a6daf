"""The ``collect`` command."""

from __future__ import annotations

import signal
import sys
from typing import Annotated

import typer

from harness.errors import Incomplete


def add_to(app: typer.Typer) -> None:
    """Registers the command."""
    app.command()(collect)


def collect(
    stage: Annotated[str, typer.Argument(help="Name of a frozen stage.")],
    runtime: Annotated[str | None, typer.Option(help="Runtime set, or one runtime; the stage's default set.")] = None,
    workers: Annotated[int | None, typer.Option(min=1, help="Attempts at once; the number of cores.")] = None,
    limit: Annotated[int | None, typer.Option(min=1, help="Run at most this many attempts.")] = None,
    task: Annotated[list[str] | None, typer.Option(help="Only this task; may be repeated.")] = None,
    redo_excluded: Annotated[bool, typer.Option(help="Also retry attempts that were lost many times.")] = False,
    database: Annotated[str | None, typer.Option(help="Database path or URL.")] = None,
    plain: Annotated[bool, typer.Option(help="Plain lines instead of a live table.")] = False,
) -> None:
    """Collect what a frozen stage still lacks. The same command resumes."""
    import os

    from harness.cli.options import database_place
    from harness.cli.views import LiveView, PlainView, closing_lines
    from harness.collection.collect import Collection, Options

    options = Options(
        stage=stage, database=database_place(database), runtime=runtime or None,
        workers=workers or len(os.sched_getaffinity(0)), limit=limit, tasks=tuple(task or ()),
        redo_excluded=redo_excluded,
    )  # fmt: skip
    view = PlainView() if plain or not sys.stdout.isatty() else LiveView()
    collection = Collection(options, view)
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, lambda *_: collection.stop())
    with view:
        summary = collection.run()
    for line in closing_lines(summary, options):
        typer.echo(line)
    if summary.interrupted:
        raise typer.Exit(130)
    if summary.unqualified:
        named = "; ".join(f"{name}: {why}" for name, why in summary.unqualified.items())
        raise Incomplete(f"not collected, as the gate failed: {named}")
    if summary.remaining and not (limit and summary.ran >= limit):
        raise Incomplete(f"{summary.remaining} attempts are still without a counted try; run the same command again")
