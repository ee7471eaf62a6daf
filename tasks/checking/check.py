"""Checks a task package: schema, names, hidden tests, patches against the base, leaks. Runs nothing of the package."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

from harness.errors import InputError, RestartlabError
from harness.sandbox.interpreter import choose
from tasks.checking.finding import FILL_IN, Finding
from tasks.checking.leaks import base_leaks, issue_leaks
from tasks.checking.patches import patch_findings
from tasks.package import TaskPackage
from tasks.sdist import base_for, pinned_hash


def check_package(root: Path) -> tuple[TaskPackage | None, list[Finding]]:
    """The package in ``root`` if it can be loaded, and what is to be said of it; fetches and builds its base."""
    root = root.absolute()
    try:
        package = TaskPackage(root)
    except InputError as error:
        file = error.file if isinstance(error.file, Path) else root / "task.yaml"
        return None, [Finding("problem", _below(root, file), error.key or "", error.what, error.mend or "")]
    found = [*_identity(package), *_open(package), *_hidden_tests(package), *_unlisted(package)]
    found += issue_leaks(package)
    filled = FILL_IN not in f"{package.spec.source.package}{package.spec.source.release}"
    found += _against_base(package) if filled else []
    return package, found


def _below(root: Path, file: Path) -> str:
    return str(file.relative_to(root)) if file.is_relative_to(root) else str(file)


def _identity(package: TaskPackage) -> Iterator[Finding]:
    root = package.root
    wanted = f"{root.parent.name}-{root.name}"
    if package.id != wanted:
        mend = f"set id: {wanted}, or move the package"
        yield Finding("problem", "task.yaml", "id", f"is {package.id!r}, but the folders say {wanted!r}", mend)


def _open(package: TaskPackage) -> Iterator[Finding]:
    """Places that still wait for a person."""
    for path in sorted(path for path in package.root.rglob("*") if path.is_file()):
        text = path.read_text(encoding="utf-8", errors="replace")
        for number, line in enumerate(text.split("\n"), 1):
            if FILL_IN in line:
                yield Finding("open", _below(package.root, path), f"line {number}", line.strip()[:100])


def _hidden_tests(package: TaskPackage) -> Iterator[Finding]:
    file = "hidden/test_hidden.py"
    try:
        tree = ast.parse(package.hidden)
    except (SyntaxError, ValueError) as error:
        line = f"line {getattr(error, 'lineno', None) or 1}"
        yield Finding("problem", file, line, f"is not Python ({error})", "correct it")
        return
    functions = {node.name: node for node in tree.body if isinstance(node, ast.FunctionDef)}
    listed = [test.name for test in package.spec.tests]
    for number, name in enumerate(listed):
        if name not in functions:
            near = ", ".join(sorted(name for name in functions if name.startswith("test_"))) or "none"
            what = f"{name!r} is no function of {file}"
            yield Finding("problem", "task.yaml", f"tests.{number}.name", what, f"functions: {near}")
        elif functions[name].args.args or functions[name].args.posonlyargs:
            yield Finding("problem", file, name, "takes arguments", "hidden tests are called without any")
    for name in functions:
        if name.startswith("test_") and name not in listed:
            yield Finding("problem", file, name, "is not among tests of task.yaml", "list it, or rename the function")


def _unlisted(package: TaskPackage) -> Iterator[Finding]:
    for folder, names in (("mutations", package.mutations), ("alternatives", package.alternatives)):
        for path in sorted((package.root / folder).glob("*.patch")):
            if path.stem not in names:
                what = f"is not among {folder} of task.yaml"
                yield Finding("problem", f"{folder}/{path.name}", "", what, "list it, or remove the file")


def _against_base(package: TaskPackage) -> list[Finding]:
    source = package.spec.source
    try:
        pinned_hash(source.package, source.release)
        tree = base_for(package, choose(package.spec.pythons)).tree
    except InputError as error:
        return [Finding("problem", str(error.file or "task.yaml"), error.key or "source", error.what, error.mend or "")]
    except RestartlabError as error:
        return [Finding("unchecked", "task.yaml", "source", f"the base cannot be had here: {error}")]
    found = []
    for key, files in (("visible_tests", package.spec.visible_tests), ("explore.files", package.spec.explore.files)):
        for number, name in enumerate(files):
            if not (tree / name).is_file():
                what = f"{name!r} is no file of {source.package} {source.release}"
                found.append(Finding("problem", "task.yaml", f"{key}.{number}", what, "name a file of the base"))
    return [*found, *patch_findings(package, tree), *base_leaks(package, tree)]
