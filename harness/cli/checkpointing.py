"""Commands of checkpoint stages: checkpoint, tensor."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from harness.cli.options import Datasets, Repos, database_place, use_sources
from harness.errors import Incomplete, InputError

if TYPE_CHECKING:
    from harness.store.checkpoints import Checkpoint, CheckpointSet

Json = Annotated[bool, typer.Option("--json", help="Print one JSON document and nothing else.")]
Database = Annotated[str | None, typer.Option(help="Database path or URL.")]


def add_to(app: typer.Typer) -> None:
    """Registers the commands."""
    app.command()(checkpoint)
    app.command()(tensor)


def checkpoint(
    stage: Annotated[str, typer.Argument(help="Name of a frozen stage of kind checkpoint.")],
    runtime: Annotated[str | None, typer.Option(help="Runtime set, or one runtime; the stage's default set.")] = None,
    verify: Annotated[bool, typer.Option("--verify", help="Put every state back and compare its digests.")] = False,
    dataset: Datasets = None,
    repos: Repos = None,
    database: Database = None,
    as_json: Json = False,
) -> None:
    """Freeze the states that a checkpoint stage draws from, if they are not yet, and list them."""
    from harness.checkpoints.choosing import freeze_checkpoints
    from harness.checkpoints.verifying import verify_checkpoints
    from harness.collection.beginning import register
    from harness.doctor import require_sandbox
    from harness.protocol.freeze import require_frozen
    from harness.protocol.runtime import resolve_runtimes
    from harness.store.store import Store

    use_sources(dataset, repos)
    frozen = require_frozen(stage)
    if frozen.protocol.checkpoint is None:
        raise InputError(f"{stage} is of kind {frozen.protocol.kind}", file="STAGE", mend="name a checkpoint stage")
    runtimes = resolve_runtimes(frozen.protocol, runtime)
    require_sandbox(frozen.protocol.sandbox.kind)
    with Store.open(database_place(database)) as store:
        register(store, frozen)
        sets = [freeze_checkpoints(store, frozen, name) for name in runtimes]
    every = [one for chosen in sets for one in chosen.checkpoints]
    problems = {one.id: problem for one, problem in verify_checkpoints(frozen, every)} if verify else {}
    if as_json:
        data = [_data(one, problems) for one in sets]
        typer.echo(json.dumps({"stage": stage, "digest": frozen.digest, "sets": data}))
    else:
        for chosen in sets:
            for line in _lines(chosen, problems):
                typer.echo(line)
    bad = [name for name, problem in problems.items() if problem]
    if bad:
        raise Incomplete(f"{len(bad)} of {len(every)} checkpoints cannot be gone on from")
    if not every:
        raise Incomplete("the rule takes no state")


def tensor(
    stage: Annotated[str, typer.Argument(help="Name of a collected checkpoint or planning stage.")],
    out: Annotated[Path, typer.Option("--out", "-o", help="File to write: .csv, .parquet or .npy.")],
    runtime: Annotated[list[str] | None, typer.Option(help="Only this runtime; may be repeated.")] = None,
    count_lost: Annotated[
        bool, typer.Option("--count-lost", help="Episodes that infrastructure lost are failures, and no holes.")
    ] = False,
    database: Database = None,
    as_json: Json = False,
) -> None:
    """Write the outcomes of such a stage, checkpoint x action x repeat; refused while one is missing."""
    from harness.checkpoints.tensor import tensor_rows
    from harness.checkpoints.tensor_files import write_tensor
    from harness.planning.tensor import planning_rows
    from harness.store.store import Store

    with Store.open(database_place(database), create=False) as store:
        record = store.stage(stage)
        planning = record is not None and record.protocol.get("protocol", {}).get("planning")
        rows = (planning_rows if planning else tensor_rows)(store, stage, runtime, count_lost=count_lost)
    files = write_tensor(rows, out)
    shape = [len({row[name] for row in rows}) for name in ("checkpoint", "action", "repeat")]
    passed = sum(row["evaluate"] for row in rows)
    counts: dict[str, int] = {}
    for row in rows:
        counts[row["provenance"]] = counts.get(row["provenance"], 0) + 1
    if as_json:
        found = {"stage": stage, "shape": shape, "episodes": len(rows), "passed": passed}
        typer.echo(json.dumps(found | {"provenance": counts, "files": [str(file) for file in files]}))
        return
    typer.echo(f"{' and '.join(str(file) for file in files)}: {shape[0]} checkpoints x {shape[1]} actions x "
               f"{shape[2]} repeats, {passed} of {len(rows)} episodes passed")  # fmt: skip
    for name, count in sorted(counts.items()):
        typer.echo(f"  {name:<26} {count}")


def _data(chosen: CheckpointSet, problems: dict[str, str]) -> dict[str, Any]:
    states = [
        {"name": one.name, "id": one.id, **one.state, "provenance": dict(one.provenance)}
        | ({"problem": problems[one.id] or None} if problems else {})
        for one in chosen.checkpoints
    ]
    refused = [dict(one) for one in chosen.refused]
    return {"runtime": chosen.runtime, "frozen_at": chosen.at, "checkpoints": states, "refused": refused}


def _lines(chosen: CheckpointSet, problems: dict[str, str]) -> list[str]:
    lines = [f"runtime {chosen.runtime}: {len(chosen.checkpoints)} checkpoints, {len(chosen.refused)} refused"]
    lines += [f"  {_line(one)}{_state(problems.get(one.id))}" for one in chosen.checkpoints]
    lines += [f"  refused: {one['task']} attempt {one['attempt'][:10]}: {one['why']}" for one in chosen.refused]
    return lines


def _line(one: Checkpoint) -> str:
    of = one.provenance
    said = "live" if of["status"] == "live" else f"ended: {of['reason']}"
    files = f"{of['changed_files']} changed file{'s' * (of['changed_files'] != 1)}"
    place = f"{of['stage']} {of['runtime']} {of['arm']} repeat {of['repeat']}"
    return f"{one.name}  {one.task}  after call {one.call} of {place}, {said}, {files}"


def _state(problem: str | None) -> str:
    return "" if problem is None else f"  BAD: {problem}" if problem else "  comes back as it was"
