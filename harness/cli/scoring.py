"""Command: score."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

import typer

from harness.cli.analysing_events import Database, Json, Runtimes, names, told
from harness.errors import Incomplete, InputError

if TYPE_CHECKING:
    from analysis.recovery.document import Scored
    from analysis.recovery.records import Attempt, Panel
    from harness.evidence.results import Trials


def add_to(app: typer.Typer) -> None:
    """Registers the command."""
    app.command()(score)


def score(
    source: Annotated[
        str | None, typer.Argument(metavar="SOURCE", help="Trial records (JSON Lines), an evidence bundle, or a stage.")
    ] = None,
    panel: Annotated[Path | None, typer.Option(help="File of the edition: tasks, trials, targets, policy.")] = None,
    runtime: Runtimes = None,
    compare: Annotated[str | None, typer.Option(help="Two systems, A,B: differences task by task.")] = None,
    metric: Annotated[Literal["strict_pass", "quality"], typer.Option(help="What to compare.")] = "strict_pass",
    replicates: Annotated[int, typer.Option(min=100, help="Bootstrap replicates of a comparison.")] = 10_000,
    seed: Annotated[int, typer.Option(min=0, help="Seed of those replicates.")] = 20261028,
    ratings: Annotated[Path | None, typer.Option(help="Ratings of judged dimensions (JSON Lines): agreement.")] = None,
    measurements: Annotated[
        Literal["strict", "compat"], typer.Option(help="Dimensions outside [0, 1]: refused, or clamped with a note.")
    ] = "strict",
    require: Annotated[
        Literal["official", "provisional"] | None, typer.Option(help="Fail unless the label is at least this.")
    ] = None,
    output: Annotated[Path | None, typer.Option("--output", "-o", help="Folder of a report; it is replaced.")] = None,
    database: Database = None,
    as_json: Json = False,
) -> None:
    """Score recovery attempts: quality, reliability, efficiency, and how far the result can be trusted."""
    if ratings is not None:
        _agreement(ratings, source, as_json)
        return
    if source is None:
        raise InputError("is missing", file="SOURCE", mend="name trial records, an evidence bundle or a stage")
    with told():
        attempts, notes, systems = _trials(source, measurements, database)
        edition = _panel(panel, attempts).knowing(systems)
        for note in notes:
            typer.echo(f"warning: {note}", err=True)
        if compare is not None:
            _compare(attempts, edition, compare, metric, (replicates, seed), as_json)
            return
        wanted = names(runtime, "--runtime") or sorted({one.runtime for one in attempts})
        if as_json and len(wanted) > 1:
            raise InputError(f"{len(wanted)} systems: {', '.join(wanted)}", file="--runtime", mend="name one of them")
        from analysis.recovery.document import score_document, scored

        found = [scored(attempts, name, edition) for name in wanted]
        if output is not None:
            _write(found, output, source, panel)
    if as_json:
        typer.echo(json.dumps(score_document(found[0]), allow_nan=False))
    else:
        from harness.cli.score_view import entry_lines

        for one in found:
            for line in entry_lines(one):
                typer.echo(line)
        if output is not None:
            typer.echo(f"report in {output}; open {output}/report.html")
    _end(found, require)


def _end(found: Sequence[Scored], require: str | None) -> None:
    order = ("official", "provisional", "unverified")
    for one in found:
        if require is not None and order.index(one.label.name) > order.index(require):
            raise Incomplete(f"{one.runtime} is {one.label.name}, not {require}: {'; '.join(one.label.reasons)}")
    from analysis.recovery.composite import gathered

    lacking = [f"{one.runtime}: {line}" for one in found for line in gathered(one.score.missing)]
    if lacking:
        raise Incomplete(f"no efficiency and no CRS, since measurements are missing: {'; '.join(lacking)}")


def _trials(source: str, mode: str, database: str | None) -> Trials:
    from harness.cli.options import database_place
    from harness.evidence.results import Trials, is_bundle, trials_of_bundle, trials_of_stage
    from harness.scoring.trials import read_trials

    path = Path(source)
    if not path.exists():
        return trials_of_stage(database_place(database), source, mode)
    return trials_of_bundle(path, mode) if is_bundle(path) else Trials(*read_trials(path, mode), {})


def _panel(path: Path | None, attempts: Sequence[Attempt]) -> Panel:
    from analysis.recovery.labels import OFFICIAL_TRIALS
    from analysis.recovery.records import panel_of
    from harness.scoring.panel import read_panel

    return panel_of(attempts, OFFICIAL_TRIALS) if path is None else read_panel(path)


def _compare(
    attempts: Sequence[Attempt], panel: Panel, compare: str, metric: str, how: tuple[int, int], as_json: bool
) -> None:
    from analysis.recovery.fields import comparison_fields
    from analysis.recovery.paired import paired
    from harness.cli.score_view import comparison_lines

    pair = names([compare], "--compare") or []
    if len(pair) != 2:
        raise InputError(f"{compare!r} is no pair", file="--compare", mend="name two systems, such as A,B")
    found = paired(attempts, pair[0], pair[1], panel, metric, *how)
    if as_json:
        typer.echo(json.dumps(comparison_fields(found), allow_nan=False))
        return
    for line in comparison_lines(found):
        typer.echo(line)


def _agreement(path: Path, source: str | None, as_json: bool) -> None:
    from harness.cli.score_view import agreement_lines
    from harness.scoring.ratings import agreement_document, read_ratings

    if source is not None:
        raise InputError("was given beside SOURCE", file="--ratings", mend="ratings are read on their own")
    with told():
        found = agreement_document(read_ratings(path))
    if as_json:
        typer.echo(json.dumps(found, allow_nan=False))
        return
    for line in agreement_lines(found):
        typer.echo(line)


def _write(found: Sequence[Scored], output: Path, source: str, panel: Path | None) -> None:
    from itertools import combinations

    from analysis.errors import AnalysisError
    from analysis.recovery.fields import comparison_fields, entry_fields
    from analysis.recovery.paired import METRICS, paired
    from analysis.report.folder import check_free, write_folder
    from analysis.report.recovery_folder import recovery_document, recovery_files

    check_free(output)
    comparisons: list[dict[str, Any]] = []
    for one, other in combinations(found, 2):
        for metric in METRICS:
            try:
                done = paired(one.everyone, one.runtime, other.runtime, one.panel, metric)
            except AnalysisError:  # no task in common: nothing to compare
                continue
            comparisons.append(comparison_fields(done))
    provenance = {"source": Path(source).name, "panel": panel.name if panel else None}
    document = recovery_document([entry_fields(one) for one in found], comparisons, provenance)
    write_folder(output, recovery_files(document))
