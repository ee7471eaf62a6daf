"""Commands: report, manifest."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from harness.cli.analysing_events import Database, Events, Json, Runtimes, columns, load_table, names, protocol_of, told
from harness.cli.numbers import whole_numbers
from harness.errors import Incomplete, InputError

if TYPE_CHECKING:
    from analysis.report.manifest import Verified
    from analysis.report.study import StageInfo


def add_to(app: typer.Typer) -> None:
    """Registers the commands."""
    app.command()(report)
    app.command()(manifest)


def report(
    stages: Annotated[list[str] | None, typer.Argument(help="Names of stages; with --events, all if left out.")] = None,
    output: Annotated[Path | None, typer.Option("--output", "-o", help="Folder to write; it is replaced.")] = None,
    budget: Annotated[int | None, typer.Option(min=2, help="Total calls; the plan's if left out.")] = None,
    cutoffs: Annotated[str | None, typer.Option(help="Cutoffs to replay, such as 8,16,30; the plan's.")] = None,
    times: Annotated[str | None, typer.Option(help="Decision calls, such as 4,8,12; the plan's.")] = None,
    alpha: Annotated[float | None, typer.Option(help="Error of a family of comparisons; the plan's, or 0.05.")] = None,
    method: Annotated[str | None, typer.Option(help="Certificate; the plan's, or clopper-pearson.")] = None,
    events: Events = None,
    runtime: Runtimes = None,
    replicates: Annotated[int, typer.Option(min=100, help="Bootstrap replicates where ends cannot be exact.")] = 10_000,
    seed: Annotated[int, typer.Option(min=0, help="Seed of those replicates.")] = 20261028,
    database: Database = None,
    as_json: Json = False,
) -> None:
    """Write a report of stages: a page, Markdown, figures, the data behind them, and their manifest."""
    from analysis.report.document import report_document
    from analysis.report.folder import check_free, report_files, write_folder
    from analysis.report.packing import document_text
    from analysis.report.study import Choices, Study
    from analysis.report.words import counted

    wanted, runtimes = names(stages or None, "STAGE"), names(runtime, "--runtime")
    if output is None and not as_json:
        raise InputError("is missing", file="-o", mend="name the folder to write, such as -o report")
    if wanted is None and not events:
        raise InputError("is missing", file="STAGE", mend="name a stage (restartlab protocols), or --events FILE")
    choices = Choices(
        budget, _calls(cutoffs, "--cutoffs"), _calls(times, "--times"), alpha, method, replicates, seed
    )  # fmt: skip
    with told():
        if output is not None:
            check_free(output)
        if not events:
            wanted = _with_sources(database, wanted or ())
        table = load_table(events, database, wanted, runtimes)
        held = wanted or sorted(table.values["stage"])
        study = Study(
            table=table,
            stages=[_bare(stage) for stage in held] if events else _known(database, held, runtimes),
            choices=choices,
            part=runtimes is not None,
            sources=[_source(file) for file in events or ()] or [{"name": "database", "sha256": None}],
            software=software(),
        )
        document = report_document(study)
        files = report_files(document, table) if output is not None else {}
        if output is not None:
            write_folder(output, files)
    if as_json:
        typer.echo(document_text(document), nl=False)
    else:
        typer.echo(f"{len(files)} files in {output}; open {output}/report.html")
        typer.echo(f"{counted(len(document['unresolved']), 'question')} stayed open; the page says which and why")


def manifest(
    folder: Annotated[Path, typer.Argument(metavar="DIR", help="Folder of a report or of other artifacts.")],
    write: Annotated[bool, typer.Option("--write", help="Write the manifest of a folder that has none.")] = False,
    as_json: Json = False,
) -> None:
    """List a folder's artifacts with their roles and digests, and verify them against its manifest."""
    from analysis.report.manifest import listed, verified, write_manifest

    with told():
        if write:
            write_manifest(folder)
        found = verified(folder)
        artifacts = found.artifacts if found else listed(folder)
    faults = _faults(found) if found else {}
    if as_json:
        files = [dict(vars(one)) for one in artifacts]
        typer.echo(json.dumps({"verified": found.intact if found else None, **faults, "files": files}))
    else:
        rows = [[one.path, one.role, str(one.bytes), one.sha256] for one in artifacts]
        for line in columns([["file", "role", "bytes", "sha-256"], *rows], indent=""):
            typer.echo(line)
        if found is None:
            typer.echo("not verified: the folder has no manifest (--write makes one)")
        elif found.intact:
            typer.echo(f"verified: {len(artifacts)} files are what the manifest says")
    if found and not found.intact:
        said = "; ".join(f"{what}: {', '.join(paths)}" for what, paths in faults.items() if paths)
        raise Incomplete(f"{folder} is not what its manifest says: {said}")


def _faults(found: Verified) -> dict[str, list[str]]:
    return {"changed": list(found.changed), "missing": list(found.missing), "foreign": list(found.foreign)}


def _calls(text: str | None, option: str) -> list[int] | None:
    return None if text is None else whole_numbers(text, option)


def _bare(stage: str) -> StageInfo:
    from analysis.report.study import StageInfo

    return StageInfo(stage)


def _with_sources(database: str | None, stages: Sequence[str]) -> list[str]:
    """The stages; in place of one that unites failed patches stands their source, in whose report the unions are."""
    from harness.cli.options import database_place
    from harness.store.store import Store

    with Store.open(database_place(database), create=False) as store:
        plans = [(stage, protocol_of(store, stage).get("composition")) for stage in stages]
    return list(dict.fromkeys(plan["source"]["stage"] if plan else stage for stage, plan in plans))


def _known(database: str | None, stages: Sequence[str], runtimes: Sequence[str] | None) -> list[StageInfo]:
    """What the database and FROZEN.yaml say of the stages."""
    from analysis.report.study import StageInfo
    from harness.cli.options import database_place
    from harness.collection.interventions import interventions_of
    from harness.collection.status import stage_status
    from harness.monitors.monitored import monitor_stage_of
    from harness.protocol.frozen import read_frozen
    from harness.recovery.compositions_document import compositions_with
    from harness.store.store import Store

    frozen = read_frozen()
    found = []
    with Store.open(database_place(database), create=False) as store:
        for stage in stages:
            record, protocol = store.stage(stage), protocol_of(store, stage)
            status = stage_status(store, stage)
            planned = {row["runtime"]: row["planned"] for row in status["runtimes"]}
            entry = frozen.get(stage)
            found.append(
                StageInfo(
                    stage,
                    protocol,
                    {name: count for name, count in planned.items() if runtimes is None or name in runtimes},
                    entry.date if entry and record and entry.digest == record.digest else None,
                    interventions_of(store, stage),
                    compositions_with(store, stage),
                    tested=monitor_stage_of(store, stage, runtimes) if protocol.get("monitor") else {},
                )
            )
    return found


def _source(file: Path) -> dict[str, Any]:
    with open(file, "rb") as stream:
        return {"name": file.name, "sha256": hashlib.file_digest(stream, "sha256").hexdigest()}


def software() -> dict[str, str]:
    """Versions of what computes a report."""
    import importlib.metadata as metadata
    import platform

    from harness import __version__

    found = {"restartlab": __version__, "python": platform.python_version()}
    for name in ("numpy", "scipy", "lifelines", "matplotlib"):
        try:
            found[name] = metadata.version(name)
        except metadata.PackageNotFoundError:
            continue
    return found
