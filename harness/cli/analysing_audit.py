"""The decision audit on the command line; also registers the commands on planning a study and on alarms."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Annotated

import typer

from harness.cli import analysing_checkpoints, analysing_planning, analysing_value
from harness.cli.analysing_events import (
    Database,
    Events,
    Json,
    Named,
    Progress,
    Runtimes,
    Stages,
    columns,
    load_table,
    named_stages,
    names,
    percent,
    progress,
    stage_plan,
    told,
)
from harness.cli.numbers import one_effect, whole_numbers
from harness.errors import InputError

if TYPE_CHECKING:
    from analysis.audit import Audit, Comparison
    from analysis.certificates import Method
    from analysis.opportunity import Opportunity

#: Rows of abstentions that a person is shown.
_SHOWN = 500


def add_to(app: typer.Typer) -> None:
    """Registers the commands."""
    app.command()(audit)
    analysing_planning.add_to(app)
    analysing_value.add_to(app)


def audit(
    named: Named = None,
    budget: Annotated[int | None, typer.Option(min=2, help="Total calls B; the plan's if left out.")] = None,
    times: Annotated[str | None, typer.Option(help="Decision calls, such as 4,8,12; the plan's if left out.")] = None,
    alpha: Annotated[float | None, typer.Option(help="Error of the whole family; the plan's, or 0.05.")] = None,
    method: Annotated[
        str | None,
        typer.Option(
            help="clopper-pearson, weak-sign, fisher, boschloo, paired-sign or betting; the plan's, or clopper-pearson."
        ),
    ] = None,
    sampling: Annotated[
        str | None,
        typer.Option(
            help="How arms are taken from a task's attempts: one-pool, split or pairs; what the method needs."
        ),
    ] = None,
    family: Annotated[int | None, typer.Option(help="Comparisons M, if fixed larger than cells x times.")] = None,
    optional_stopping: Annotated[
        bool, typer.Option("--optional-stopping", help="Collection was stopped by looking at outcomes.")
    ] = False,
    effect: Annotated[str, typer.Option(help="Rates p,q of restart and continue for the n of 80 % power.")] = "0.8,0.2",
    events: Events = None,
    stages: Stages = None,
    runtime: Runtimes = None,
    database: Database = None,
    as_json: Json = False,
) -> None:
    """Say per task and decision call whether restart or continuation is certified better, or that it is not known."""
    from analysis.audit import audit as run_audit
    from analysis.audit import default_sampling
    from analysis.audit_document import audit_json
    from analysis.cells import cells_of
    from analysis.certificates import method as method_of
    from analysis.opportunity import opportunities

    wanted, runtimes = named_stages(named, stages), names(runtime, "--runtime")
    states = None if events else analysing_checkpoints.checkpoint_stage(database, wanted)
    if states is not None:
        analysing_checkpoints.refuse({
            "--budget": budget, "--times": times, "--sampling": sampling, "--optional-stopping": optional_stopping,
        })  # fmt: skip
        analysing_checkpoints.audit_stage(
            states, alpha=alpha, method=method, family=family, runtimes=runtimes, database=database, as_json=as_json
        )
        return
    stated_effect = one_effect(effect)
    with told():
        table = load_table(events, database, wanted, runtimes)
        held = wanted or sorted(table.values["stage"])
        plan = {} if events else stage_plan(database, held)
        for name, given, example in (("budget", budget, "30"), ("times", times, "4,8,12")):
            if given is None and name not in plan:
                what, mend = "is missing, and there is no common plan to take it from", f"--{name} {example}"
                raise InputError(what, file=f"--{name}", mend=mend)
        cells = cells_of(table)
        total = plan["budget"] if budget is None else budget
        at = list(plan["times"]) if times is None else whole_numbers(times, "--times")
        used = method_of(method or plan.get("method", "clopper-pearson"))
        so_far = None if events else progress(database, held, runtimes)
        # Other runtimes make another family; another way of sampling, or a look before the end, was not planned either.
        as_planned = runtimes is None and family is None and sampling in (None, default_sampling(used))
        as_planned = as_planned and not _spoilt_by_looking(so_far, used)
        # Cells without a result yet are of the family too.
        least = None if so_far is None else so_far.cells * len(at)
        found = run_audit(
            cells,
            budget=total,
            times=at,
            alpha=plan.get("alpha", 0.05) if alpha is None else alpha,
            method_name=used.NAME,
            sampling=sampling,
            family=least if family is None else family,
            optional_stopping=optional_stopping,
            plans=[plan] if plan and as_planned else (),
        )
        summary = opportunities(cells, total, at)
        if as_json:
            for piece in audit_json(found, summary):
                typer.echo(piece, nl=False)
            typer.echo()
            return
        for line in _lines(found, summary, stated_effect):
            typer.echo(line)


def _spoilt_by_looking(so_far: Progress | None, used: Method) -> bool:
    """Whether outcomes are looked at before all are there, by a method whose error does not hold then; says so."""
    if so_far is None or not so_far.unfinished:
        return False
    note = f"note: {so_far.unfinished} of {so_far.attempts} attempts are not finished: an early look"
    typer.echo(note + ("" if used.OPTIONAL_STOPPING else ", so this is not the planned audit"), err=True)
    return not used.OPTIONAL_STOPPING


def _lines(found: Audit, summary: Sequence[Opportunity], effect: tuple[float, float]) -> list[str]:
    rows = [["stage runtime arm task", "t", "live", "q", "p", "continue", "restart", "decision"]]
    hidden = 0
    for row in found.comparisons():
        if row.decision in ("restart", "continue") or (row.decision == "abstain" and len(rows) <= _SHOWN):
            rows.append(_row(row))
        else:
            hidden += row.decision == "abstain"
    cohorts = [["stage runtime arm", "t", "live cells", "restart - continue", "task oracle", "perfect alarm"]]
    for seen in summary:
        effects = (seen.restart_minus_continue, seen.task_oracle, seen.perfect_alarm)
        place = f"{seen.cohort.stage} {seen.cohort.runtime} {seen.cohort.arm}"
        cohorts.append([place, str(seen.t), f"{seen.live_cells} of {seen.tasks}", *map(percent, effects)])
    counts = {name: found.count(name) for name in ("restart", "continue", "abstain", "not_reached")}
    lines = [
        f"{found.plan}: {found.method} on {found.family} comparisons, budget {found.budget}, alpha {found.alpha:g}, "
        f"sampling {found.sampling}; rates in %",
        *(columns(rows) if len(rows) > 1 else ()),
        *([f"  ... and {hidden} more that abstain (--json has them all)"] if hidden else ()),
        f"{counts['restart']} restart, {counts['continue']} continue, {counts['abstain']} abstain; "
        f"{counts['not_reached']} never reached",
        "",
        "Opportunity against continuing every live attempt, task-macro points (plug-in):",
        *columns(cohorts),
    ]
    most = max((row.n for row in found.comparisons()), default=0)
    if most < found.attainable_n:
        held = f"There {'is' if most == 1 else 'are'} at most {most} attempt{'s' * (most != 1)} a task"
        lines += ["", f"{held}: about any one task nothing can be concluded, in either direction."]
    if counts["abstain"] or most < found.attainable_n:
        lines += ["", *_why_abstained(found, effect)]
    return lines


def _row(row: Comparison) -> list[str]:
    def interval(ends: tuple[float, float] | None) -> str:
        return "-" if ends is None else f"[{100 * ends[0]:.1f}, {100 * ends[1]:.1f}]"

    place = f"{row.key.stage} {row.key.runtime} {row.key.arm} {row.key.task}"
    live, fresh = f"{percent(row.q)} ({row.y}/{row.live})", f"{percent(row.p)} ({row.x}/{row.n})"
    ends = (interval(row.continue_interval), interval(row.restart_interval))
    return [place, str(row.t), str(row.live), live, fresh, *ends, row.decision]


def _why_abstained(found: Audit, effect: tuple[float, float]) -> list[str]:
    from analysis.power import Effect, attempts_needed

    p, q = effect
    needed = attempts_needed(found.method, Effect(p, q), alpha=found.alpha, family=found.family, most=300)
    enough = f"n = {needed}" if needed else "more than n = 300"
    return [
        f"An abstention means that {found.method} does not resolve the comparison, not that the actions are equal.",
        f"Below n = {found.attainable_n} an arm no outcome whatever is certified in a family of {found.family}; "
        f"80 % power at p = {p:g}, q = {q:g} takes {enough} an arm (restartlab power).",
    ]
