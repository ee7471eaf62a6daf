"""``audit`` and ``value`` on a checkpoint stage: what the draws from its states say."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import typer

from harness.cli.analysing_events import columns, percent, told
from harness.errors import InputError

if TYPE_CHECKING:
    from analysis.alarms import Estimate
    from analysis.checkpoints.decisions import CheckpointAudit, Decision
    from analysis.checkpoints.representations import Representation
    from analysis.readout.panel import Panel


def checkpoint_stage(database: str | None, stages: Sequence[str] | None) -> Mapping[str, Any] | None:
    """The protocol of the stage that is asked for, if it is one of checkpoints; else None.

    Raises:
        InputError: it is named together with others.
    """
    from harness.cli.options import database_place
    from harness.store.store import Store

    if not stages:
        return None
    with Store.open(database_place(database), create=False) as store:
        records = [store.stage(stage) for stage in stages]
    protocols = [(record.protocol or {}).get("protocol") or {} for record in records if record]
    found: list[Mapping[str, Any]] = [one for one in protocols if one.get("kind") == "checkpoint"]
    if found and len(stages) > 1:
        raise InputError(f"{found[0]['stage']} is a checkpoint stage", file="--stages", mend="analyse it by itself")
    return found[0] if found else None


def refuse(options: Mapping[str, Any], where: str = "at a checkpoint stage") -> None:
    """Refuses options that mean nothing there."""
    for name, given in options.items():
        if given is not None and given is not False:
            raise InputError(f"means nothing {where}", file=name, mend="leave it out")


def audit_stage(
    protocol: Mapping[str, Any], *, alpha: float | None, method: str | None, family: int | None,
    runtimes: Sequence[str] | None, database: str | None, as_json: bool,
) -> None:  # fmt: skip
    """Prints the audit of a checkpoint stage."""
    from analysis.checkpoints.decisions import audit_checkpoints
    from analysis.checkpoints.document import audit_document

    plan, pair = protocol["analysis"], _compared(protocol)
    error, name = plan["alpha"] if alpha is None else alpha, method or plan["method"]
    as_planned = (error, name) == (plan["alpha"], plan["method"]) and not runtimes and family is None
    with told():
        panels = _panels(protocol["stage"], runtimes, database)
        found = audit_checkpoints(
            panels, *pair, alpha=error, method_name=name, family=family,
            plan="protocol" if as_planned else "exploratory",
        )  # fmt: skip
    if as_json:
        typer.echo(json.dumps(audit_document(found), allow_nan=False))
        return
    for line in _audit_lines(found):
        typer.echo(line)


def value_stage(
    protocol: Mapping[str, Any], *, features: Path | None, kappa: float, replicates: int, seed: int,
    runtimes: Sequence[str] | None, database: str | None, as_json: bool,
) -> None:  # fmt: skip
    """Prints what representations of a checkpoint stage's states are worth."""
    from analysis.checkpoints.document import value_document
    from analysis.checkpoints.representations import representation_values

    pair = _compared(protocol)
    rows = []
    with told():
        for panel in _panels(protocol["stage"], runtimes, database):
            seen = _features(protocol["stage"], panel, features, database)
            rows += representation_values(panel, *pair, seen, kappa=kappa, replicates=replicates, seed=seed)
    if as_json:
        settings = {"kappa": kappa, "replicates": replicates, "seed": seed}
        compare = dict(zip(("restart", "continue"), pair, strict=True))
        typer.echo(json.dumps({**settings, "compare": compare, "rows": value_document(rows)}, allow_nan=False))
        return
    for line in _value_lines(rows, pair, kappa, replicates, seed):
        typer.echo(line)


def _compared(protocol: Mapping[str, Any]) -> tuple[str, str]:
    compare = protocol["checkpoint"].get("compare")
    if compare is None:
        what = f"{protocol['stage']} compares no two actions"
        raise InputError(what, key="checkpoint.compare", mend="restartlab readout takes all of its actions")
    return compare["restart"], compare["continue"]


def _panels(stage: str, runtimes: Sequence[str] | None, database: str | None) -> list[Panel]:
    from analysis.readout.tensor_rows import panels_of_rows
    from harness.checkpoints.tensor import tensor_rows
    from harness.cli.options import database_place
    from harness.store.store import Store

    with Store.open(database_place(database), create=False) as store:
        return panels_of_rows(tensor_rows(store, stage, runtimes), f"stage {stage}", first_row=1)


def _features(stage: str, panel: Panel, file: Path | None, database: str | None) -> dict[str, list[str]]:
    """Values of every representation, in the panel's order."""
    from analysis.checkpoints.representations import tertiles
    from harness.checkpoints.features import observed, read_features
    from harness.cli.options import database_place
    from harness.store.store import Store

    with Store.open(database_place(database), create=False) as store:
        record = store.stage(stage)
        assert record is not None
        chosen = store.checkpoints(stage, record.digest, panel.runtime)
    assert chosen is not None
    by_name = {one.name: observed(one) for one in chosen.checkpoints}
    rows = [by_name[name] for name in panel.checkpoints]
    found = {name: [str(row[name]) for row in rows] for name in ("task", "status", "changed", "progress")}
    found |= {name: tertiles([float(row[name]) for row in rows]) for name in ("call", "idle")}
    return found | (read_features(file, panel.checkpoints) if file else {})


def _audit_lines(found: CheckpointAudit) -> list[str]:
    head = ["runtime task checkpoint", "stood", found.restart, found.continue_, "p", "q", "decision"]
    offers = [["runtime", "checkpoints", "p", "q", "restart - continue", "better action each", "perfect alarm"]]
    for one in found.summary:
        effects = (one.restart, one.continue_, one.restart_minus_continue, one.oracle, one.perfect_alarm)
        offers.append([one.runtime, str(one.checkpoints), *map(percent, effects)])
    lines = [
        f"{found.plan}: {found.method} on {found.family} checkpoints, {found.restart} against {found.continue_}, alpha "
        f"{found.alpha:g}, {found.design} draws; rates in %",
        *columns([head, *(_row(one) for one in found.decisions)]),
        f"{found.count('restart')} restart, {found.count('continue')} continue, {found.count('abstain')} abstain",
        "",
        "Against continuing from every checkpoint, points of mean success (plug-in):",
        *columns(offers),
    ]
    most = max((one.n for one in found.decisions), default=0)
    if most < found.attainable_n:
        lines += ["", f"There are {most} draws an arm: below {found.attainable_n} nothing whatever can be certified in "
                  f"a family of {found.family}."]  # fmt: skip
    elif found.count("abstain"):
        lines += ["", f"An abstention means that {found.method} does not resolve it, not that the actions are equal."]
    if {one.origin for one in found.decisions} & {"synthetic"}:
        lines.append("Synthetic: an instrument, not a language model; nothing here is about a model.")
    return lines


def _row(one: Decision) -> list[str]:
    shares = [f"{percent(one.p)}{_ends(one.restart_interval)}", f"{percent(one.q)}{_ends(one.continue_interval)}"]
    place = f"{one.runtime} {one.task} {one.checkpoint}"
    return [place, one.key, f"{one.x}/{one.n}", f"{one.y}/{one.n}", *shares, one.decision]


def _ends(interval: tuple[float, float] | None) -> str:
    return "" if interval is None else f" [{100 * interval[0]:.1f}, {100 * interval[1]:.1f}]"


def _value_lines(
    rows: Sequence[Representation], pair: tuple[str, str], kappa: float, replicates: int, seed: int
) -> list[str]:
    def shown(estimate: Estimate) -> str:
        if estimate.value is None or estimate.low is None:
            return percent(estimate.value)
        return f"{percent(estimate.value)} [{percent(estimate.low)}, {percent(estimate.high)}]"

    table = [["runtime, what is known", "classes", "gain of its policy", "lost against the state", "held out"]]
    for row in rows:
        name = f"{row.runtime} {row.name}"
        table.append([name, str(row.classes), shown(row.value), shown(row.lost), shown(row.held_out)])
    return [
        f"{pair[0]} against {pair[1]} at {sum(row.name == 'state' and row.checkpoints for row in rows)} checkpoints; "
        f"acquiring a representation costs {kappa:g}; 95 % intervals: {replicates} resamples of tasks, seed {seed}; in "
        "points of success over continuing",
        *columns(table),
        "The gain is plug-in and grows with the number of classes; held out: chosen on half of the draws, judged on "
        "the others.",
    ]
