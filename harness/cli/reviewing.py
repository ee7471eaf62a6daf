"""Command: review."""

from __future__ import annotations

import json
from dataclasses import asdict
from typing import Annotated, Literal

import typer

from harness.errors import InputError


def add_to(app: typer.Typer) -> None:
    """Registers the command."""
    app.command()(review)


def review(
    task: Annotated[str | None, typer.Argument(help="Task id; without one, all reviews are listed.")] = None,
    reviewer: Annotated[str | None, typer.Option(help="Who reviewed it; without it, the record is shown.")] = None,
    decision: Annotated[Literal["accept", "reject"], typer.Option(help="What the reviewer decided.")] = "accept",
    note: Annotated[str, typer.Option(help="What was looked at, and why.")] = "",
    independent: Annotated[bool, typer.Option(help="The reviewer took no part in writing the task.")] = False,
    sandbox: Annotated[str, typer.Option(help="Kind of sandbox whose qualification is shown.")] = "bubblewrap",
    database: Annotated[str | None, typer.Option(help="Database path or URL.")] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print one JSON document and nothing else.")] = False,
) -> None:
    """Record a reviewer's decision on a task, or show its qualification: the map of obligations and mutations."""
    from harness.cli.options import database_place
    from harness.collection.reviewing import known_reviews, record_review, review_of

    place = database_place(database)
    if task is None:
        if reviewer is not None:
            raise InputError("no task is named", file="TASK", mend="restartlab review TASK --reviewer NAME")
        shown = [asdict(one) for one in known_reviews(place)]
        typer.echo(json.dumps({"reviews": shown})) if as_json else _list(shown)
        return
    if reviewer is not None:
        record_review(place, task, reviewer, decision, note, independent)
    found = review_of(place, task, sandbox)
    if as_json:
        typer.echo(json.dumps(asdict(found)))
        return
    from harness.cli.review_view import review_lines

    for line in review_lines(found):
        typer.echo(line)


def _list(reviews: list[dict[str, object]]) -> None:
    for one in reviews:
        kind = "independent" if one["independent"] else "not independent"
        typer.echo(f"{one['at']} {one['task']} {one['decision']} by {one['reviewer']} ({kind}): {one['note']}")
    if not reviews:
        typer.echo("no task was reviewed")
