"""How ``collect`` runs a stage of kind patch_algebra, and the ``compositions`` command that shows what it made."""

from __future__ import annotations

import json
from typing import Annotated, Any

import typer

from harness.cli.analysing_events import Database, Json
from harness.cli.options import database_place
from harness.errors import InputError


def add_to(app: typer.Typer) -> None:
    """Registers the command."""
    app.command()(compositions)


def is_composing(stage: str) -> bool:
    """Whether a stage has compositions in place of attempts."""
    from harness.protocol.load import find_stage, load_protocol

    return load_protocol(find_stage(stage)).kind == "patch_algebra"


def collect_compositions(stage: str, runtime: str | None, tasks: list[str] | None, database: str | None) -> None:
    """Makes and verifies the compositions that are not on record yet. Interrupting it loses nothing."""
    from harness.collection.beginning import register
    from harness.doctor import require_sandbox
    from harness.protocol.freeze import require_frozen
    from harness.protocol.runtime import resolve_runtimes
    from harness.recovery.patch_algebra import run_compositions
    from harness.store.store import Store

    frozen = require_frozen(stage)
    runtimes = resolve_runtimes(frozen.protocol, runtime)
    for task in tasks or ():
        if task not in frozen.protocol.tasks:
            raise InputError(
                f"{task!r} is not a task of {stage}", file="--task", mend=f"tasks: {', '.join(frozen.protocol.tasks)}"
            )
    require_sandbox(frozen.protocol.sandbox.kind)
    with Store.open(database_place(database)) as store:
        register(store, frozen)
        store.choose_set(stage, frozen.digest, runtime or frozen.protocol.default_set)
        run_compositions(store, frozen, runtimes, tasks or frozen.protocol.tasks, typer.echo)
    typer.echo(f"next:\n  restartlab compositions {stage}")


def compositions(
    stage: Annotated[str, typer.Argument(help="Name of a stage of kind patch_algebra.")],
    database: Database = None,
    as_json: Json = False,
) -> None:
    """Show which pairs of failed patches go together, and what became of those that were verified."""
    from harness.recovery.compositions_document import compositions_document
    from harness.store.store import Store

    with Store.open(database_place(database), create=False) as store:
        document = compositions_document(store, stage)
    if document is None:
        raise InputError(f"{stage} has no compositions", file="STAGE", mend=f"restartlab collect {stage}")
    if as_json:
        typer.echo(json.dumps(document))
        return
    for line in _lines(document):
        typer.echo(line)


def _lines(document: dict[str, Any]) -> list[str]:
    from harness.cli.analysing_events import columns

    head = ["runtime", "task", "sources", "contents", "pairs", "conflict", "equal", "novel", "verified", "passed"]
    rows = [[row["runtime"], row["task"], *_counts(row)] for row in document["tasks"]]
    totals = [[total["runtime"], "all", *_counts(total)] for total in document["totals"]]
    return [f"{document['stage']}: compositions of the failed patches of {document['source_stage']}",
            *columns([head, *rows, *totals])]  # fmt: skip


def _counts(row: dict[str, Any]) -> list[str]:
    names = ("sources", "contents", "pairs", "conflict", "equal", "novel", "verified", "passed")
    return [str(row[name]) for name in names]
