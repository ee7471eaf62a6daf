"""Commands: import, replay, completion."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from harness.cli.analysing_events import (
    Database,
    Events,
    Json,
    Named,
    Runtimes,
    Stages,
    columns,
    load_table,
    named_stages,
    names,
    percent,
    stage_plan,
    told,
)
from harness.errors import InputError

if TYPE_CHECKING:
    from analysis.schedules import Schedule

_KINDS = ("single", "fixed", "geometric", "luby", "caps")
#: Calls that a replay takes on; its time and memory grow with them.
_MOST = 100_000

Budget = Annotated[int | None, typer.Option(min=1, max=_MOST, help="Total calls; by default the stage's plan.")]
Replicates = Annotated[int, typer.Option(min=100, help="Bootstrap replicates where ends cannot be exact.")]
Seed = Annotated[int, typer.Option(min=0, help="Seed of those replicates.")]


def add_to(app: typer.Typer) -> None:
    """Registers the commands."""
    app.command("import")(import_)
    app.command()(replay)
    app.command()(completion)


def import_(
    files: Annotated[list[Path], typer.Argument(help="Event tables, CSV or Parquet.")],
    database: Database = None,
    as_json: Json = False,
) -> None:
    """Take event tables into the database; any bad row refuses them whole."""
    from harness.cli.options import database_place
    from harness.collection.importing import import_files, read_files
    from harness.store.store import Store

    with told():
        incoming = read_files(files)  # before the database, which a refusal must not make
        with Store.open(database_place(database)) as store:
            done = import_files(store, incoming)
    if as_json:
        typer.echo(json.dumps({"stages": done.stages, "attempts": done.attempts, "tries": done.tries}))
    else:
        typer.echo(f"{done.tries} tries of {done.attempts} attempts, stages {', '.join(done.stages)}")


def replay(
    budget: Budget = None,
    schedule: Annotated[str, typer.Option(help="single, fixed, geometric, luby or caps (caps 15,15,30).")] = "fixed",
    words: Annotated[
        list[str] | None,
        typer.Argument(metavar="STAGE or CAPS", help="The same as --stages; the caps of --schedule caps."),
    ] = None,
    cutoffs: Annotated[
        str | None, typer.Option(help="Of fixed: 4:30:2 or 8,16,30; by default the stage's plan.")
    ] = None,
    first: Annotated[int, typer.Option(help="Of geometric: the first cap.")] = 2,
    ratio: Annotated[str, typer.Option(help="Of geometric: the growth of caps.")] = "2",
    unit: Annotated[int, typer.Option(help="Of luby: calls per unit.")] = 1,
    repeat: Annotated[bool, typer.Option("--repeat", help="Of caps: start anew when they are used up.")] = False,
    no_release: Annotated[
        bool, typer.Option("--no-release", help="A terminal does not give its unused calls back.")
    ] = False,
    against: Annotated[
        str | None,
        typer.Option(
            help="What contrasts subtract: single, a cutoff, or caps; by default the longest cutoff that is supported."
        ),
    ] = None,
    events: Events = None,
    stages: Stages = None,
    runtime: Runtimes = None,
    replicates: Replicates = 10_000,
    seed: Seed = 20261028,
    database: Database = None,
    as_json: Json = False,
) -> None:
    """Say what a restart schedule is worth, exactly: per task, on the mean, and against another one."""
    from analysis.cells import cells_of
    from analysis.groups import groups_of
    from analysis.replay_document import ReplayPlan, replay_document

    with told():
        listed = next((word for word in words or () if schedule == "caps" and word[:1].isdigit()), None)
        chosen = named_stages([word for word in words or () if word is not listed], stages)
        table = load_table(events, database, chosen, names(runtime, "--runtime"))
        plan = {} if events else stage_plan(database, chosen or table.values["stage"])
        calls = budget or plan.get("budget")
        if calls is None:
            raise InputError(
                "is missing", file="--budget", mend="say how many calls there are in all, such as --budget 30"
            )
        release = not no_release and schedule != "single"
        if schedule.partition(" ")[0].partition(":")[0] == "fixed":
            text = cutoffs or ",".join(map(str, plan.get("cutoffs", ())))
            schedules = _fixed(text, calls, release)
        else:
            schedules = [_schedule(schedule, listed, first, ratio, unit, repeat, release)]
            if cutoffs is not None:
                raise InputError(f"are not of --schedule {schedule}", file="--cutoffs", mend="give --schedule fixed")
        groups = groups_of(cells_of(table), chosen)
        baseline = None if against is None else _baseline(against, release)
        document = replay_document(groups, ReplayPlan(calls, tuple(schedules), release, baseline, replicates, seed))
    if as_json:
        typer.echo(json.dumps(document, allow_nan=False))
        return
    for line in _replay_lines(document):
        typer.echo(line)


def completion(
    named: Named = None,
    through: Annotated[
        int | None, typer.Option(min=1, help="Last call; by default the last that is identified.")
    ] = None,
    incidence: Annotated[
        bool, typer.Option("--aalen-johansen", help="Cumulative incidence where attempts were censored early.")
    ] = False,
    events: Events = None,
    stages: Stages = None,
    runtime: Runtimes = None,
    replicates: Replicates = 10_000,
    seed: Seed = 20261028,
    database: Database = None,
    as_json: Json = False,
) -> None:
    """Show how completion grows with calls: F, hazard, continuation and restart curves with bootstrap bands."""
    from analysis.cells import cells_of
    from analysis.completion_document import completion_document
    from analysis.groups import groups_of

    with told():
        chosen = named_stages(named, stages)
        table = load_table(events, database, chosen, names(runtime, "--runtime"))
        groups = groups_of(cells_of(table), chosen)
        document = completion_document(groups, through=through, incidence=incidence, replicates=replicates, seed=seed)
    if as_json:
        typer.echo(json.dumps(document, allow_nan=False))
        return
    for line in _completion_lines(document):
        typer.echo(line)


def _fixed(text: str, budget: int, release: bool) -> list[Schedule]:
    from analysis.schedules import fixed

    if not text:
        mend = f"say which, such as --cutoffs 4:{budget}:2 or --cutoffs 8,16,{budget}"
        raise InputError("are missing", file="--cutoffs", mend=mend)
    return [fixed(cutoff, release=release) for cutoff in _numbers(text, "--cutoffs")]


def _schedule(
    kind: str, listed: str | None, first: int, ratio: str, unit: int, repeat: bool, release: bool
) -> Schedule:
    from analysis import schedules

    for mark in (" ", ":"):
        if mark in kind:
            kind, _, listed = kind.partition(mark)
    if kind not in _KINDS:
        raise InputError(f"{kind!r} is not a schedule", file="--schedule", mend=f"write one of {', '.join(_KINDS)}")
    if kind == "caps":
        if not listed:
            raise InputError("needs the caps", file="--schedule caps", mend="write --schedule caps 15,15,30")
        return schedules.insurance(_numbers(listed, "caps", distinct=False), repeat=repeat, release=release)
    if kind == "geometric":
        return schedules.geometric(first, ratio, release=release)
    return schedules.luby(unit, release=release) if kind == "luby" else schedules.single()


def _baseline(text: str, release: bool) -> Schedule:
    from analysis import schedules

    if text == "single":
        return schedules.single()
    caps = _numbers(text, "--against", distinct=False)
    if len(caps) == 1:
        return schedules.fixed(caps[0], release=release)
    return schedules.insurance(caps, release=release)


def _numbers(text: str, option: str, *, distinct: bool = True) -> list[int]:
    """Whole numbers of 1 or more: ``8,16,30``, or ``4:30:2`` with both ends."""
    found: list[int] = []
    for part in text.split(","):
        bounds = part.strip().split(":")
        if len(bounds) > 3 or not all(map(_is_call, bounds)):
            mend = f"write calls from 1 to {_MOST}, such as 8,16,30, or 4:30:2 for 4 to 30 in steps of 2"
            raise InputError(f"{part.strip()!r} is not a list of calls", file=option, mend=mend)
        numbers = [int(bound) for bound in bounds]
        found += numbers if len(numbers) == 1 else range(numbers[0], numbers[1] + 1, *numbers[2:])
    if not found:
        raise InputError(f"{text!r} holds no call", file=option, mend="write the smaller end first, such as 4:30:2")
    return sorted(set(found)) if distinct else found


def _is_call(text: str) -> bool:
    return text.isascii() and text.isdigit() and len(text) < 10 and 1 <= int(text) <= _MOST


def _replay_lines(document: dict[str, Any]) -> Iterator[str]:
    schedule = document["schedule"]
    released = "terminals release their unused calls" if document["release"] else "nothing is released"
    yield f"{schedule['kind']}, budget {document['budget']} calls, {released}; success in percent"
    for number, one in enumerate(document["macro"]):
        if number and _name(document["macro"][number - 1]) == _name(one):
            continue
        yield ""
        yield from _group_lines(document, _name(one))


def _group_lines(document: dict[str, Any], name: tuple[str, str]) -> Iterator[str]:
    mine = {
        part: [row for row in document[part] if _name(row) == name]
        for part in document
        if isinstance(document[part], list)
    }
    tasks = list(dict.fromkeys((row["stage"], row["task"]) for row in mine["tasks"]))
    pooled = ", ".join(dict.fromkeys(stage for stage, _ in tasks))
    origins = ", ".join(sorted({row["origin"] for row in mine["tasks"]}))
    note = " (instruments, not language models)" if "synthetic" in origins else ""
    count = "1 task" if len(tasks) == 1 else f"{len(tasks)} tasks"
    yield f"runtime {name[0]}, arm {name[1]}: {count} of {pooled}; {origins}{note}"
    contrasts = {row["cutoff"]: row for row in mine["contrasts"]}
    rows = [["cutoff", "mean", "difference", "95 % interval", "positive", "ends"]]
    for row in mine["macro"]:
        cutoff = "-" if row["cutoff"] is None else str(row["cutoff"])
        rows.append([cutoff, percent(row["value"]), *_contrast_cells(contrasts.get(row["cutoff"]))])
    yield from columns(rows)
    if contrasts:
        against = next(iter(contrasts.values()))["against"]
        what = against["params"].get("cutoff") or ",".join(map(str, against["params"].get("caps", ())))
        yield f"  differences are from {against['kind']} {what}".rstrip()
    for best in mine["best"]:
        yield f"  best in sample: {', '.join(map(str, best['cutoffs']))} ({percent(best['value'])})"
    for left in mine["leave_one_task_out"]:
        picks = ", ".join(f"{fold['task']} {fold['cutoff']}" for fold in left["folds"])
        gain = _signed(left["difference"])
        yield f"  leave one task out: {percent(left['value'])}, difference {gain}; picks: {picks}"


def _contrast_cells(contrast: dict[str, Any] | None) -> list[str]:
    if contrast is None:
        return ["", "", "", ""]
    low, high = contrast["interval"]
    ends = "exact" if contrast["seed"] is None else f"seed {contrast['seed']}"
    between = f"[{_signed(low)}, {_signed(high)}]"
    return [_signed(contrast["difference"]), between, percent(contrast["positive"]), ends]


def _completion_lines(document: dict[str, Any]) -> Iterator[str]:
    yield f"completion by call, percent; {document['method']}"
    field = "completion" if document["method"] == "empirical" else "verified"
    groups = dict.fromkeys(_name(row) for row in document["tasks"])
    for name in groups:
        mine = [row for row in document["tasks"] if _name(row) == name]
        last = mine[0]["calls"][-1]
        marks = sorted({*range(0, last + 1, max(1, last // 10)), last} - {0})
        rows = [["task", "n", *(str(mark) for mark in marks)]]
        for row in mine:
            curve = row[field]["value"] if field == "completion" else row[field]
            rows.append([row["task"], str(row["n"]), *(percent(curve[mark]) for mark in marks)])
        for macro in document["macro"]:
            if _name(macro) == name:
                for label, part in (("mean", "value"), ("  2.5 %", "low"), ("  97.5 %", "high")):
                    rows.append([label, "", *(percent(macro["completion"][part][mark]) for mark in marks)])
        yield ""
        yield f"runtime {name[0]}, arm {name[1]}; {', '.join(sorted({row['origin'] for row in mine}))}"
        yield from columns(rows)


def _name(row: dict[str, Any]) -> tuple[str, str]:
    return row["runtime"], row["arm"]


def _signed(value: float) -> str:
    # No "-0.00".
    return f"{round(100 * value, 2) + 0.0:+.2f}"
