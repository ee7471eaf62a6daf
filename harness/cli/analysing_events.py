"""What the analysis commands share: where events come from, which of them, and how refusals are told."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, NamedTuple

import typer

from harness.errors import InputError, RestartlabError

if TYPE_CHECKING:
    from analysis.table import EventTable
    from harness.store.store import Store

Events = Annotated[
    list[Path] | None,
    typer.Option("--events", help="Event table, CSV or Parquet (repeatable); else the database is read."),
]
Stages = Annotated[
    list[str] | None, typer.Option("--stages", help="Stages, comma-separated (repeatable); naming several pools them.")
]
Named = Annotated[list[str] | None, typer.Argument(metavar="STAGE", help="The same as --stages.")]
Runtimes = Annotated[list[str] | None, typer.Option("--runtime", help="Runtimes, comma-separated (repeatable).")]
Database = Annotated[str | None, typer.Option(help="Database path or URL.")]
Json = Annotated[bool, typer.Option("--json", help="Print one JSON document and nothing else.")]


class Refused(RestartlabError):
    """What analysis refused, as the command line prints it."""

    exit_code = 2


@contextmanager
def told() -> Iterator[None]:
    """Turns errors of analysis into those of the command line."""
    from analysis.errors import AnalysisError

    try:
        yield
    except AnalysisError as error:
        refused = Refused(str(error))
        refused.exit_code = error.exit_code
        raise refused from None


def names(given: Sequence[str] | None, option: str) -> list[str] | None:
    """The names in comma-separated, repeatable option values; None when the option was not given."""
    if given is None:
        return None
    found = [name.strip() for text in given for name in text.split(",") if name.strip()]
    if not found:
        raise InputError("names nothing", file=option, mend="write one or more names, or leave the option out")
    return list(dict.fromkeys(found))


def named_stages(named: Sequence[str] | None, stages: Sequence[str] | None) -> list[str] | None:
    """Stages that were named as arguments and by ``--stages``."""
    return names([*(named or ()), *(stages or ())], "--stages") if named or stages is not None else None


def load_table(
    events: Sequence[Path] | None, database: str | None, stages: list[str] | None, runtimes: list[str] | None = None
) -> EventTable:
    """The events of the files, or else of the database; of the named stages and runtimes, each of which must be there.

    Raises:
        InputError: a file and a database at once, or a name that occurs nowhere.
    """
    from analysis.table import EventTable
    from harness.cli.options import database_place
    from harness.collection.event_cells import table_of
    from harness.store.store import Store

    if events and database is not None:
        raise InputError("was given beside --events", file="--database", mend="give one of them")
    if events:
        table = EventTable.read(events)
        source: Any = ", ".join(str(file) for file in events)
    else:
        source = database_place(database)
        with Store.open(source, create=False) as store:
            _refuse_stages_without_times(store, stages or ())
            table = table_of(store, stages)
    for column, wanted, option in (("stage", stages, "--stages"), ("runtime", runtimes, "--runtime")):
        for name in wanted or ():
            if name not in table.values[column]:
                there = ", ".join(sorted(table.values[column]))
                raise InputError(f"{name!r} is not in {source}", file=option, mend=f"name one of: {there}")
    if stages is None and runtimes is None:
        return table
    chosen = table.select(table.mask(stage=stages, runtime=runtimes))
    if not len(chosen):
        raise InputError("no attempt is left", file="--stages, --runtime", mend="name a runtime that these stages have")
    return chosen


def _refuse_stages_without_times(store: Store, stages: Sequence[str]) -> None:
    """Raises ``InputError`` for a stage of single answers, or of unions: there is no time to decide about."""
    for stage in stages:
        protocol = protocol_of(store, stage)
        if protocol.get("planning"):
            what = f"{stage} is a planning stage, whose outcomes are a panel of actions"
            raise InputError(what, file="STAGE", mend=f"restartlab readout {stage}")
        if protocol.get("composition"):
            what = f"{stage} has no attempts but unions of failed patches"
            raise InputError(what, file="STAGE", mend=f"restartlab compositions {stage}")


def protocol_of(store: Store, stage: str) -> dict[str, Any]:
    """The registered protocol of a stage; empty if there is none."""
    record = store.stage(stage)
    return ((record.protocol or {}).get("protocol") or {}) if record else {}


def stage_plan(database: str | None, stages: Sequence[str] | None) -> dict[str, Any]:
    """The analysis plan that the database's protocols of the stages agree on; empty if there is none."""
    from harness.cli.options import database_place
    from harness.store.store import Store

    with Store.open(database_place(database), create=False) as store:
        records = [store.stage(stage) for stage in stages or ()]
    plans = [record.protocol.get("protocol", {}).get("analysis") for record in records if record is not None]
    return dict(plans[0]) if plans and plans[0] and all(plan == plans[0] for plan in plans) else {}


class Progress(NamedTuple):
    """How far stages are: cells (task, runtime, arm) and attempts that were planned, and attempts without a result."""

    cells: int
    attempts: int
    unfinished: int


def progress(database: str | None, stages: Sequence[str], runtimes: Sequence[str] | None) -> Progress:
    """The progress of stages in the database, of some runtimes or all."""
    from harness.cli.options import database_place
    from harness.store.store import Store

    with Store.open(database_place(database), create=False) as store:
        found = [cell for stage in stages for cell in store.counts(stage) if not runtimes or cell.runtime in runtimes]
    planned = sum(cell.planned for cell in found)
    return Progress(len(found), planned, planned - sum(cell.finished for cell in found))


def columns(rows: Sequence[Sequence[str]], indent: str = "  ") -> Iterator[str]:
    """Rows of cells as aligned lines; the first column to the left, the others to the right."""
    widths = [max(len(row[i]) for row in rows) for i in range(len(rows[0]))]
    for row in rows:
        cells = [row[0].ljust(widths[0]), *(cell.rjust(width) for cell, width in zip(row[1:], widths[1:], strict=True))]
        yield indent + "  ".join(cells).rstrip()


def percent(value: float | None) -> str:
    """A fraction for people."""
    return "-" if value is None else f"{100 * value:.2f}"
