"""Commands that plan a study: attempts for a given power, for a zero-success bound, and coverage by simulation."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Annotated, Any

import typer

from harness.cli.analysing_events import Json, columns, names, percent, told
from harness.cli.numbers import whole_numbers
from harness.errors import Incomplete

Alpha = Annotated[float, typer.Option(help="Error of the whole family.")]
Family = Annotated[int, typer.Option(help="Comparisons M of the family: tasks x times.")]
Methods = Annotated[list[str] | None, typer.Option("--method", help="Methods, comma-separated; all if left out.")]


def add_to(app: typer.Typer) -> None:
    """Registers the commands."""
    app.command()(power)
    app.command()(samples)
    app.command()(coverage)


def power(
    p: Annotated[float, typer.Option("--p", help="Success of a clean restart within the calls left.")] = 0.8,
    q: Annotated[float, typer.Option("--q", help="Success of continuing a live attempt.")] = 0.2,
    live: Annotated[float, typer.Option(help="Share of attempts live at the decision (one pool, split).")] = 0.2,
    both: Annotated[
        float | None, typer.Option(help="Share live and passing within B - t (one pool); the least possible.")
    ] = None,
    method: Methods = None,
    design: Annotated[
        list[str] | None, typer.Option(help="independent, one-pool or split, comma-separated; the first two.")
    ] = None,
    family: Family = 1,
    alpha: Alpha = 0.05,
    target: Annotated[float, typer.Option("--power", help="Chance of certifying the true direction.")] = 0.8,
    n: Annotated[int | None, typer.Option("--n", min=1, help="Give the power of this many attempts instead.")] = None,
    most: Annotated[int, typer.Option(min=1, help="Largest number of attempts tried.")] = 300,
    as_json: Json = False,
) -> None:
    """Say how many attempts each method needs to certify an effect (an arm; in all, for one pool and split)."""
    from analysis.certificates import METHODS
    from analysis.certificates import method as method_of
    from analysis.errors import InputError
    from analysis.power import Effect, attempts_needed
    from analysis.power import power as chance

    rows: list[dict[str, Any]] = []
    with told():
        effect = Effect(p, q, live, both)
        for chosen in names(design, "--design") or ["independent", "one-pool"]:
            for name in names(method, "--method") or list(METHODS):
                least = method_of(name).attainable_n(alpha, family)
                row: dict[str, Any] = {"method": name, "design": chosen, "attainable_n": least, "n": n, "refused": None}
                asked: dict[str, Any] = {"design": chosen, "alpha": alpha, "family": family}
                try:
                    if n is None:
                        row["n"] = attempts_needed(name, effect, target=target, most=most, **asked)
                    found = None if row["n"] is None else chance(name, effect, row["n"], **asked)
                except InputError as refusal:
                    if (method and design) or refusal.file not in (None, "--method"):
                        raise  # asked for by name, so the answer is the refusal; or bad whatever the method
                    row["refused"], found = str(refusal.what), None
                row["power"] = None if found is None else {"restart": found.restart, "continue": found.continue_}
                rows.append(row)
    told_effect = {"p": p, "q": q, "live": live, "both": both}
    document = {"alpha": alpha, "family": family, "effect": told_effect, "target": target, "most": most}
    if as_json:
        typer.echo(json.dumps({**document, "rows": rows}, allow_nan=False))
    else:
        for line in _power_lines(rows, document):
            typer.echo(line)
    if all(row["refused"] is not None for row in rows):
        raise Incomplete("every method refused these designs and this effect")


def _power_lines(rows: list[dict[str, Any]], document: dict[str, Any]) -> Iterator[str]:
    effect = document["effect"]
    yield (
        f"p = {effect['p']:g}, q = {effect['q']:g}, live {effect['live']:g}, family {document['family']}, "
        f"alpha {document['alpha']:g}, power {document['target']:g}"
    )
    shown = [["design and method", "least n", "n", "restart %", "continue %"]]
    for row in rows:
        if row["refused"] is None:
            chances = row["power"] or {"restart": None, "continue": None}
            count = f"> {document['most']}" if row["n"] is None else str(row["n"])
            ends = (percent(chances["restart"]), percent(chances["continue"]))
            shown.append([f"{row['design']} {row['method']}", str(row["attainable_n"]), count, *ends])
    yield from columns(shown)
    yield "n counts attempts an arm (independent) or in all (one-pool, split); least n: attempts an arm below"
    yield "which no outcome is certified."
    for row in rows:
        if row["refused"] is not None:
            yield f"refused: {row['design']} {row['method']}: {row['refused']}"


def samples(
    epsilon: Annotated[float, typer.Option(help="Success probability to stay below.")] = 0.1,
    family: Annotated[str, typer.Option(help="Comparisons M of the family, comma-separated.")] = "1",
    alpha: Alpha = 0.05,
    n: Annotated[int | None, typer.Option("--n", help="Also give the bound after this many attempts.")] = None,
    as_json: Json = False,
) -> None:
    """Say how many attempts without a success bound the success probability (equations 17 and 18)."""
    from analysis.evidence import attempts_for_upper, zero_success_upper

    rows = []
    with told():
        for size in whole_numbers(family, "--family"):
            needed = attempts_for_upper(epsilon, alpha, size)
            row = {"family": size, "epsilon": epsilon, "n": needed}
            row["upper"] = float(zero_success_upper(needed, alpha, size))
            if n is not None:
                row |= {"given_n": n, "given_upper": float(zero_success_upper(n, alpha, size))}
            rows.append(row)
    if as_json:
        typer.echo(json.dumps({"alpha": alpha, "rows": rows}, allow_nan=False))
        return
    for row in rows:
        typer.echo(
            f"family {row['family']}: {row['n']} attempts without a success bound it by {percent(row['upper'])} % "
            f"(at most {percent(epsilon)} %)"
        )
        if n is not None:
            typer.echo(f"  after {n}: {percent(row['given_upper'])} %")


def coverage(
    method: Methods = None,
    law: Annotated[list[str] | None, typer.Option(help="Completion laws, comma-separated; all if left out.")] = None,
    attempts: Annotated[int, typer.Option(min=1, help="Attempts a task.")] = 30,
    tasks: Annotated[int, typer.Option(min=1, help="Tasks of the family.")] = 1,
    times: Annotated[str, typer.Option(help="Decision calls.")] = "16",
    budget: Annotated[int, typer.Option(min=2, max=10_000, help="Total calls.")] = 30,
    alpha: Alpha = 0.05,
    replicates: Annotated[int, typer.Option(min=1, help="Simulated families.")] = 2000,
    seed: Annotated[int, typer.Option(min=0, help="Seed of the simulation.")] = 1,
    as_json: Json = False,
) -> None:
    """Simulate families with known truth and count those in which a method claims anything wrong."""
    from dataclasses import asdict

    from analysis.certificates import METHODS
    from analysis.coverage import laws, simulate
    from analysis.errors import InputError

    at = whole_numbers(times, "--times")
    with told():
        known = laws(budget)
        chosen = names(law, "--law") or list(known)
        for name in chosen:
            if name not in known:
                raise InputError(f"unknown law {name!r}", file="--law", mend=f"use one of {', '.join(known)}")
        found = [
            simulate(
                name,
                known[under],
                attempts=attempts,
                tasks=tasks,
                times=at,
                alpha=alpha,
                replicates=replicates,
                seed=seed,
            )
            for under in chosen
            for name in names(method, "--method") or METHODS
        ]
    if as_json:
        rows = [{**asdict(row), "broken": row.broken} for row in found]
        typer.echo(json.dumps({"budget": budget, "times": at, "seed": seed, "rows": rows}, allow_nan=False))
    else:
        shown = [["law, method, sampling", "families", "with an error", "rate %", "95 % interval", "certified right %"]]
        for row in found:
            ends = f"[{percent(row.low)}, {percent(row.high)}]"
            place = f"{row.law} {row.method} {row.sampling}"
            numbers = [str(row.replicates), str(row.errors), percent(row.rate), ends, percent(row.right)]
            shown.append([place, *numbers])
        typer.echo(f"{attempts} attempts a task, family {found[0].family}, alpha {alpha:g}, seed {seed}")
        for line in columns(shown):
            typer.echo(line)
    broken = [f"{row.method} under {row.law}" for row in found if row.broken]
    if broken:
        raise Incomplete(f"more errors than alpha = {alpha:g} allows: {', '.join(broken)}")
