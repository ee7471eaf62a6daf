"""Checks a recovery package: contract, functions, scripts, and that its initialiser makes one tree every time."""

from __future__ import annotations

import ast
import tempfile
from collections.abc import Iterator
from pathlib import Path

from harness.errors import InputError
from harness.workspace.base import tree_digest
from tasks.checking.finding import Finding
from tasks.recovery.base import build_tree
from tasks.recovery.task import RecoveryTask


def check_contract(root: Path) -> tuple[RecoveryTask | None, list[Finding]]:
    """The package in ``root`` if it can be loaded, and what is to be said of it. Runs its initialiser twice."""
    root = root.absolute()
    try:
        task = RecoveryTask(root)
    except InputError as error:
        file = error.file if isinstance(error.file, Path) else root / "contract.yaml"
        name = str(file.relative_to(root)) if file.is_relative_to(root) else str(file)
        return None, [Finding("problem", name, error.key or "", error.what, error.mend or "")]
    return task, [*_identity(task), *_functions(task), *_unlisted(task), *_tree(task)]


def _identity(task: RecoveryTask) -> Iterator[Finding]:
    wanted = f"recovery-{task.root.name}"
    if task.id != wanted:
        yield Finding("problem", "contract.yaml", "id", f"is {task.id!r}, but the folder says {wanted!r}",
                      f"set id: {wanted}, or rename the folder")  # fmt: skip


def _functions(task: RecoveryTask) -> Iterator[Finding]:
    file, contract = "hidden/checks.py", task.contract
    try:
        body = ast.parse(task.checks).body
    except SyntaxError as error:
        yield Finding("problem", file, f"line {error.lineno or 1}", f"is not Python ({error.msg})", "correct it")
        return
    functions = {node.name for node in body if isinstance(node, ast.FunctionDef)}
    used = [goal.check for goal in contract.goals] + [check.check for check in contract.durability.checks]
    used += [name for invariant in contract.invariants for name in (invariant.extract, invariant.check) if name]
    used += [contract.durability.prepare] if contract.durability.prepare else []
    for name in dict.fromkeys(used):
        if name not in functions:
            known = ", ".join(sorted(name for name in functions if not name.startswith("_")))
            yield Finding("problem", file, name, "is named by the contract and is no function", f"functions: {known}")


def _unlisted(task: RecoveryTask) -> Iterator[Finding]:
    for folder, names in (("mutations", [*task.mutations]), ("repairs", ["oracle", *task.alternatives])):
        for path in sorted((task.root / folder).glob("*.sh")):
            if path.stem not in names:
                yield Finding("problem", f"{folder}/{path.name}", "", "is not listed in contract.yaml",
                              "list it, or remove the file")  # fmt: skip


def _tree(task: RecoveryTask) -> Iterator[Finding]:
    with tempfile.TemporaryDirectory() as folder:
        trees = [Path(folder, name) for name in ("first", "second")]
        try:
            for tree in trees:
                tree.mkdir()
                build_tree(task, tree)
        except InputError as error:
            yield Finding("problem", "hidden/build.py", "", error.what, "correct it")
            return
        if len({tree_digest(tree) for tree in trees}) > 1:
            yield Finding("problem", "hidden/build.py", "", "makes another tree each time",
                          "seed what is random; leave out the clock")  # fmt: skip
        for service in task.contract.services:
            if not (trees[0] / service.program).is_file():
                yield Finding("problem", "contract.yaml", f"services.{service.name}.program",
                              f"{service.program!r} is no file of the workspace", "name the program")  # fmt: skip
