"""Dependencies point one way, the command line starts fast, and every command says what it does."""

from __future__ import annotations

import ast
import os
import subprocess
import sys
from pathlib import Path

import pytest

PROJECT = Path(__file__).resolve().parents[2]

#: Packages and modules, to the first parts of module names that they may not import.
FORBIDDEN = {
    "analysis": ("harness", "verifiers", "tasks", "litellm", "docker", "minisweagent"),
    "verifiers": ("harness.agents", "harness.models", "harness.collection", "harness.cli", "harness.attempt"),
    "tasks": ("verifiers", "harness.agents", "harness.models", "harness.collection", "harness.cli", "minisweagent"),
    "harness/sandbox": ("harness.workspace", "harness.store", "harness.agents", "verifiers", "tasks"),
    "harness/workspace": ("harness.store", "harness.agents", "verifiers", "tasks"),
    "harness/store": ("harness.agents", "harness.collection", "harness.cli", "verifiers", "tasks"),
    "harness/protocol": ("harness.agents", "harness.collection", "harness.cli", "harness.store", "verifiers"),
}


def imports_of(path: Path) -> set[str]:
    """Absolute names that a module imports, anywhere in it."""
    found = set()
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.Import):
            found |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and node.module:
            found.add(node.module)
    return found


@pytest.mark.parametrize("folder", sorted(FORBIDDEN))
def test_dependencies_point_one_way(folder: str) -> None:
    wrong = [
        f"{path.relative_to(PROJECT)} imports {name}"
        for path in (PROJECT / folder).rglob("*.py")
        if "hidden" not in path.parts
        for name in imports_of(path)
        if any(name == banned or name.startswith(f"{banned}.") for banned in FORBIDDEN[folder])
    ]
    assert wrong == []


def test_the_runner_imports_nothing_of_ours() -> None:
    ours = {name for name in imports_of(PROJECT / "verifiers" / "runner.py") if name.split(".")[0] in FORBIDDEN}
    assert ours == set()
    assert not any(name.startswith("harness") for name in imports_of(PROJECT / "verifiers" / "runner.py"))


def test_the_command_line_loads_nothing_heavy() -> None:
    code = (
        "import sys; from harness.cli import app; "
        "heavy = {'litellm', 'minisweagent', 'docker', 'scipy', 'numpy', 'sqlalchemy', 'pandas', 'matplotlib'}; "
        "print(sorted(heavy & set(sys.modules)))"
    )
    environment = os.environ | {"PYTHONPATH": str(PROJECT)}
    done = subprocess.run([sys.executable, "-c", code], env=environment, capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


def test_every_command_has_help_and_stands_in_the_readme() -> None:
    import typer.main

    from harness.cli.app import app

    readme = (PROJECT / "README.md").read_text() + "".join(p.read_text() for p in (PROJECT / "docs").glob("*.md"))
    group = typer.main.get_command(app)
    for name, command in group.commands.items():  # type: ignore[attr-defined]
        assert command.help, f"{name} has no help"
        assert f"restartlab {name}" in readme or f"make {name}" in readme, f"{name} is not documented"
