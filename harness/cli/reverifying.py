"""The ``reverify`` command."""

from __future__ import annotations

import json
import signal
from pathlib import Path
from typing import Annotated

import typer

from harness.cli.options import Datasets, Repos
from harness.errors import Incomplete, InputError


def add_to(app: typer.Typer) -> None:
    """Registers the command."""
    app.command()(reverify)


def reverify(
    trajectories: Annotated[
        list[Path], typer.Argument(metavar="TRAJ...", help="Trajectories: files, folders of them, or tar archives.")
    ],
    dataset: Datasets = None,
    repos: Repos = None,
    task: Annotated[list[str] | None, typer.Option(help="Only this task or instance; may be repeated.")] = None,
    verdicts: Annotated[
        Path | None, typer.Option(help="Recorded end verdicts: CSV (instance_id, resolved), or a report as JSON.")
    ] = None,
    stage: Annotated[str, typer.Option(help="Name of the stage that the attempts are stored under.")] = "reverified",
    min_fidelity: Annotated[
        float, typer.Option(min=0, max=1, help="Least share of return codes that must match the recorded ones.")
    ] = 0.8,
    workers: Annotated[int | None, typer.Option(min=1, help="Attempts at once; the number of cores.")] = None,
    limit: Annotated[int | None, typer.Option(min=1, help="Execute at most this many attempts.")] = None,
    database: Annotated[str | None, typer.Option(help="Database path or URL.")] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print one JSON document and nothing else.")] = False,
) -> None:
    """Execute trajectories of others again and verify after every action. The same command resumes."""
    from harness.cli.options import database_place, use_sources
    from harness.cli.reverify_view import closing_lines, ended_line, skipped_lines
    from harness.importers.detect import Found, read_all
    from harness.reverify.campaign import Campaign
    from harness.reverify.document import reverify_document
    from harness.reverify.job import Rules
    from harness.reverify.planning import tasks_of
    from harness.reverify.verdicts import read_verdicts
    from harness.store.store import Store
    from tasks.registry import task_ids

    use_sources(dataset, repos)
    recorded = read_verdicts(verdicts) if verdicts else {}
    found = read_all(trajectories)
    by_task, unknown = tasks_of(found.records, task_ids(), task or ())
    found = Found(found.records, (*found.skipped, *unknown))
    for line in skipped_lines(found.skipped):
        typer.echo(line, err=True)
    wanted = {record.digest for records in by_task.values() for record in records}
    if not wanted:
        raise InputError("give no trajectory that can be executed", file=", ".join(map(str, trajectories)),
                         mend="see the reasons above; --dataset names the instances")  # fmt: skip
    with Store.open(database_place(database)) as store:
        campaign = Campaign(
            store, Rules(stage, min_fidelity), by_task, workers=workers, limit=limit,
            on_end=lambda *what: typer.echo(ended_line(*what), err=True),
        )  # fmt: skip
        for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
            if signal.getsignal(number) != signal.SIG_IGN:  # nohup wants it to go on
                signal.signal(number, lambda *_: campaign.stop())
        outcome = campaign.run()
        document = reverify_document(stage, store.ended_tries(stage), wanted, recorded, found.skipped)
    if as_json:
        typer.echo(json.dumps(document, allow_nan=False))
    else:
        for line in closing_lines(document):
            typer.echo(line)
    if outcome.interrupted:
        raise typer.Exit(130)
    if outcome.full:
        raise Incomplete(outcome.full)
    if outcome.left and not (limit and outcome.ran >= limit):
        reasons = ", ".join(f"{count} {name}" for name, count in outcome.lost.items())
        raise Incomplete(f"{outcome.left} attempts are still without a result ({reasons or 'run elsewhere'}); run the "
                         "same command again")  # fmt: skip
    if damaged := sum(one.damaged for one in found.skipped):
        raise Incomplete(f"{damaged} files gave no attempt; their reasons are above")
