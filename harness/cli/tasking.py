"""Commands for authors of tasks: task new, task check."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Annotated

import typer

from harness.errors import Incomplete, InputError

Folder = Annotated[Path, typer.Argument(metavar="DIR", help="Folder of the package, FAMILY/NUMBER.")]

app = typer.Typer(
    help="Make and check task packages: task new writes a skeleton, task check says what is wrong or remains.",
    no_args_is_help=True, rich_markup_mode=None,
)  # fmt: skip


def add_to(parent: typer.Typer) -> None:
    """Registers the commands."""
    parent.add_typer(app, name="task")


@app.command()
def new(
    folder: Folder,
    kind: Annotated[str, typer.Option("--kind", help="Kind of task: hidden-tests.")] = "hidden-tests",
) -> None:
    """Write a commented skeleton of a task package."""
    from tasks.checking.skeleton import write_skeleton

    for path in write_skeleton(folder, kind):
        typer.echo(str(path.relative_to(folder.absolute())))
    typer.echo(f"fill in what `restartlab task check {folder}` names", err=True)


@app.command()
def check(
    folder: Folder,
    gate: Annotated[bool, typer.Option("--gate", help="Qualify it too, in the real sandbox; nothing is kept.")] = False,
    sandbox: Annotated[str, typer.Option(help="With --gate: kind of sandbox.")] = "bubblewrap",
    as_json: Annotated[bool, typer.Option("--json", help="Print one JSON document and nothing else.")] = False,
) -> None:
    """Check a task package: keys, names, tests or checks, repairs on the base, leaks; with --gate, qualify it."""
    from dataclasses import asdict

    from tasks.checking.check import check_package
    from tasks.checking.contracts import check_contract
    from tasks.recovery.task import RecoveryTask

    if not folder.is_dir():
        raise InputError("is no folder", file=folder, mend=f"restartlab task new {folder}")
    package, found = check_contract(folder) if (folder / "contract.yaml").is_file() else check_package(folder)
    counts = {kind: sum(one.kind == kind for one in found) for kind in ("problem", "open", "unchecked")}
    result = None
    if gate and package is not None and not found:
        from harness.doctor import require_sandbox
        from verifiers.kinds import verifier_kind

        require_sandbox(sandbox)
        result = verifier_kind(package.kind).qualify(package, sandbox)
    if as_json:
        gated = {"gate": result.data() if result else None}
        typer.echo(json.dumps({"task": package and package.id, "findings": [asdict(one) for one in found], **gated}))
    else:
        for one in found:
            said = {"problem": "problem", "open": "remains", "unchecked": "not checked"}[one.kind]
            typer.echo(f"{said}: {one}")
        if package is not None and not counts["problem"]:
            if isinstance(package, RecoveryTask):
                tests = f"{len(package.contract.obligations)} obligations"
            else:
                tests = f"{len(package.spec.tests)} hidden tests"
            tests += f", {len(package.mutations)} wrong repairs"
            typer.echo(f"{package.id}: its structure is right ({tests}, {len(package.alternatives)} other right ones)")
        if result is not None and result.qualified:
            typer.echo(f"{result.task}: qualified in {sandbox} with Python {result.python}; nothing was recorded")
    if counts["problem"]:
        raise Incomplete(f"{counts['problem']} to mend")
    if counts["open"]:
        raise Incomplete(f"{counts['open']} places remain to be filled in")
    if counts["unchecked"]:
        raise Incomplete("not everything could be checked")
    if result is not None and not result.qualified:
        raise Incomplete(f"not qualified: {'; '.join(result.complaints())}")
