"""Command: readout. Recovery-action panels from a checkpoint stage or a file."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from harness.cli.analysing_events import Database, Json, Runtimes, names, told
from harness.cli.numbers import whole_numbers
from harness.cli.panel_source import described, load_panels
from harness.errors import InputError

if TYPE_CHECKING:
    from analysis.readout.panel import Panel
    from analysis.readout.readout import Settings


def add_to(app: typer.Typer) -> None:
    """Registers the command."""
    app.command()(readout)


def readout(
    source: Annotated[str, typer.Argument(metavar="TENSOR|STAGE", help="Outcome tensor (CSV, Parquet, NPY) or stage.")],
    k: Annotated[str | None, typer.Option("--k", help="Draws per action and block, such as 1,2,4.")] = None,
    design: Annotated[str, typer.Option(help="Pairs of blocks: split (halves) or all_pairs.")] = "split",
    score: Annotated[str, typer.Option(help="Score that selects: select (public) or evaluate (strict).")] = "select",
    epsilon: Annotated[float, typer.Option(min=0, help="Tolerance of best sets, in units of the score.")] = 0.0,
    costs: Annotated[str | None, typer.Option(help="Penalties, such as retry=0.05,replace=0.1.")] = None,
    resample: Annotated[str, typer.Option(help="What is resampled: checkpoint, or task with its checkpoints.")] = (
        "checkpoint"
    ),
    exact: Annotated[bool, typer.Option("--exact", help="Exact bootstrap ends where values lie on a lattice.")] = False,
    replicates: Annotated[int, typer.Option(min=100, help="Bootstrap replicates.")] = 10_000,
    seed: Annotated[int, typer.Option(min=0, help="Seed of the bootstrap and of permutations.")] = 20260928,
    reference: Annotated[
        Path | None, typer.Option(help="Tensor whose best sets the checkpoints' relations are to; else own halves.")
    ] = None,
    scope: Annotated[str | None, typer.Option(help="Permute checkpoints inside each task (group), or all.")] = None,
    evaluate: Annotated[Path | None, typer.Option(help="Evaluator's scores beside an NPY array.")] = None,
    actions: Annotated[str | None, typer.Option(help="Names of an NPY array's actions, comma-separated.")] = None,
    output: Annotated[Path | None, typer.Option("--output", "-o", help="Folder for a report; it is replaced.")] = None,
    runtime: Runtimes = None,
    database: Database = None,
    as_json: Json = False,
) -> None:
    """Say how stable the best recovery action is and, apart from that, whether it ever works."""
    from analysis.readout.best_sets import Rule
    from analysis.readout.readout import Settings

    if resample not in ("checkpoint", "task"):
        raise InputError(f"{resample!r} is no unit", file="--resample", mend="choose checkpoint or task")
    settings = Settings(
        ks=None if k is None else tuple(whole_numbers(k, "--k")),
        design=design,
        rule=Rule(epsilon, _costs(costs)),
        score=score,
        unit="task" if resample == "task" else "checkpoint",
        replicates=replicates,
        seed=seed,
        exact=exact,
    )
    with told():
        if output is not None:
            from analysis.report.folder import check_free

            check_free(output)
        panels = load_panels(
            source,
            database=database,
            runtimes=names(runtime, "--runtime"),
            evaluate=evaluate,
            actions=None if actions is None else names([actions], "--actions"),
        )
        other = None if reference is None else _one(load_panels(str(reference)), "--reference")
        if as_json:
            _print_document(panels, settings)
        if output is not None:
            written = _write(output, panels, settings, source, other, scope)
            if not as_json:
                typer.echo(f"{written} files in {output}; open {output}/report.html")
        elif not as_json:
            _print(panels, settings, other, scope)


def _print_document(panels: list[Panel], settings: Settings) -> None:
    from analysis.readout.document import readout_document
    from analysis.readout.readout import readout as read

    document = readout_document(read(_one(panels, "--runtime"), settings))
    typer.echo(json.dumps(document, allow_nan=False))


def _print(panels: list[Panel], settings: Settings, reference: Panel | None, scope: str | None) -> None:
    from analysis.readout.readout import readout as read
    from harness.cli.readout_view import lines_across, readout_lines

    found = [read(panel, settings) for panel in panels]
    for place, one in enumerate(found):
        for line in ([""] if place else []) + readout_lines(one, reference, scope):
            typer.echo(line)
    for line in lines_across(found):
        typer.echo(line)


def _write(
    folder: Path, panels: list[Panel], settings: Settings, source: str, reference: Panel | None, scope: str | None
) -> int:
    from analysis.readout.details import details_document
    from analysis.report.folder import write_folder
    from analysis.report.readout_files import readout_files
    from harness.cli.analysing_report import software

    document = details_document(
        panels, settings, sources=[described(source)], software=software(), reference=reference, scope=scope
    )
    files = readout_files(document, panels)
    write_folder(folder, files)
    return len(files)


def _one(panels: list[Panel], option: str) -> Panel:
    if len(panels) != 1:
        there = ", ".join(panel.name for panel in panels)
        mend = f"choose one of: {there}" + ("" if option == "--runtime" else "; write it to a file of its own")
        raise InputError(f"{len(panels)} panels, which are never pooled", file=option, mend=mend)
    return panels[0]


def _costs(text: str | None) -> dict[str, float]:
    """``retry=0.05,replace=0.1`` as penalties by action."""
    found: dict[str, float] = {}
    for part in (text or "").split(",") if text is not None else ():
        name, equals, value = part.partition("=")
        try:
            cost = float(value)
        except ValueError:
            cost = -1.0
        if not name.strip() or not equals or not 0 <= cost <= 1:
            mend = "write them as retry=0.05,verify=0.05,replace=0.1"
            raise InputError(f"{part!r} is no penalty in [0, 1]", file="--costs", mend=mend)
        found[name.strip()] = cost
    return found

