"""The ``regrade`` command."""

from __future__ import annotations

import json
import signal
from collections.abc import Iterator
from typing import TYPE_CHECKING, Annotated, Any

import typer

from harness.errors import Incomplete

if TYPE_CHECKING:
    from harness.collection.regrade import Outcome, Regrading

#: Attempts that are listed one by one.
_LISTED = 40


def add_to(app: typer.Typer) -> None:
    """Registers the command."""
    app.command()(regrade)


def regrade(
    stage: Annotated[str, typer.Argument(help="Name of a collected stage.")],
    runtime: Annotated[list[str] | None, typer.Option(help="Only this runtime; may be repeated.")] = None,
    task: Annotated[list[str] | None, typer.Option(help="Only this task; may be repeated.")] = None,
    workers: Annotated[int | None, typer.Option(min=1, help="States judged at once; the number of cores.")] = None,
    database: Annotated[str | None, typer.Option(help="Database path or URL.")] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print one JSON document and nothing else.")] = False,
) -> None:
    """Judge recorded workspace states again with the verifiers as they are now, into a new record; no agent runs."""
    from harness.cli.options import database_place
    from harness.cli.regrade_view import RegradeView
    from harness.collection.regrade import Options, Regrading
    from harness.collection.regrade_document import document

    options = Options(
        stage=stage, database=database_place(database), runtimes=tuple(runtime or ()), tasks=tuple(task or ()),
        workers=workers,
    )  # fmt: skip
    with RegradeView() as view:
        outcome = _run(Regrading(options, view))
    found = document(outcome)
    if as_json:
        typer.echo(json.dumps(found))
    else:
        for line in _lines(found):
            typer.echo(line)
    if outcome.problems:
        raise Incomplete(f"{len(outcome.problems)} attempts could not be regraded; they are listed, and excluded in it")


def _run(regrading: Regrading) -> Outcome:
    from harness.collection.regrade import Interrupted

    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        if signal.getsignal(number) != signal.SIG_IGN:  # nohup wants it to go on
            signal.signal(number, lambda *_: regrading.stop())
    try:
        return regrading.run()
    except Interrupted:
        typer.echo("interrupted; the verdicts made so far are kept, and the same command goes on from there", err=True)
        raise typer.Exit(130) from None


def _lines(found: dict[str, Any]) -> Iterator[str]:
    from harness.cli.analysing_events import columns
    from harness.cli.text import one_line

    yield f"stage {found['stage']}, digest {found['digest'][:16]}: regrade {found['regrade']}"
    for task in found["tasks"]:
        before = ", ".join(digest[:12] for digest in task["before"]) or "unknown"
        now = (task["verifier"] or "none")[:12]
        verifier = f"verifier {before}" + (", as before" if [task["verifier"]] == task["before"] else f" -> {now}")
        states = f"{task['states']} distinct states: {task['judged']} judged, {task['cached']} known before"
        yield f"  {task['task']}: {verifier}; {states}"
    yield from columns(list(_rows(found["cells"])))
    for one in found["differing"][:_LISTED]:
        name = f"{one['attempt'][:12]}  {one['task']} {one['runtime']} {one['arm']} #{one['repeat']}"
        yield f"  {name}: {_event(one['before'])} -> {_event(one['after'])}"
    if len(found["differing"]) > _LISTED:
        yield f"  ... and {len(found['differing']) - _LISTED} more (--json lists all)"
    early = sum(cell["stopped_early"] for cell in found["cells"])
    if early:
        yield (
            f"{early} attempts stopped at a pass which is none any more. What would have come after it was never seen: "
            "they are censored there (stopped_early), and cannot be replayed beyond."
        )
    for problem in found["problems"]:
        yield f"  {problem['attempt'][:12]}  not regraded, {problem['reason']}: {one_line(problem['detail'], 300)}"
    yield f"The events on record are as they were. restartlab export {found['stage']} --regrade {found['regrade']}"


def _rows(cells: list[dict[str, Any]]) -> Iterator[list[str]]:
    """The table: events before and after; counts of what went wrong where anything did."""
    events = ("verified", "terminal", "censored")
    counted = ["differ", *(name for name in ("stopped_early", "not_regraded") if any(cell[name] for cell in cells))]
    yield ["", "attempts", *events, *(name.replace("_", " ") for name in counted)]
    for cell in cells:
        changes = (f"{cell['before'][name]} -> {cell['after'][name]}" for name in events)
        counts = (str(cell[name]) for name in counted)
        yield [f"{cell['task']} {cell['runtime']} {cell['arm']}", str(cell["attempts"]), *changes, *counts]


def _event(event: dict[str, Any]) -> str:
    return f"{event['event']} at call {event['call']}" + (f" ({event['reason']})" if event["reason"] else "")
