"""A tiny real repository with a task package made from real ``git diff`` output, and bash to run commands in it."""

from __future__ import annotations

import os
import shutil
import subprocess
import tempfile
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import pytest

os.environ.setdefault("MSWEA_SILENT_STARTUP", "1")
os.environ.setdefault("MSWEA_GLOBAL_CONFIG_DIR", tempfile.mkdtemp(prefix="mini-config-"))

from tasks.package import TaskPackage

CORE = '''"""Means. Costs $HOME nothing, `date` nothing, \\\\ nothing, and 'quotes' "too"; naïve."""


def total(values):
\t"""Sum, indented by a tab, with a line of blanks below."""
\tout = 0
   \t
\tfor value in values:
\t\tout += value
\treturn out


def mean(values):
    """Mean of $values."""
    return total(values) / len(values)


def spread(values):
    return max(values) - min(values)
'''
TEXT = "def show(value):\n    return 'mean $(value) `%s`' % value"  # no newline at the end of the file
BASE = {"calc/__init__.py": "", "calc/core.py": CORE, "calc/text.py": TEXT, "README": "calc\n"}
OLD = "    return total(values) / len(values)\n"
GUARDED = "    if not values:\n        return 0  # costs $0 and `nothing`\n" + OLD

REPAIRS: dict[str, dict[str, str]] = {
    "reference.patch": {
        "calc/core.py": CORE.replace(OLD, GUARDED),
        "calc/text.py": TEXT.replace("$(value)", "${value}"),
    },
    "alternatives/helper.patch": {
        "calc/core.py": CORE.replace(OLD, "    from calc import helper\n    return helper.mean(values, total)\n"),
        "calc/helper.py": "def mean(values, total):\n    return total(values) / len(values) if values else 0\n",
    },
    "mutations/reported-only.patch": {
        "calc/core.py": CORE.replace(OLD, "    if values == ():\n        return 0\n" + OLD),
    },
    "mutations/shim.patch": {
        "calc/core.py": CORE.replace(OLD, "    from calc.shim import safe\n    return total(values) / safe(values)\n"),
        "calc/shim.py": "def safe(values):\n    return len(values) or 'x'\n",
    },
    "mutations/no-text.patch": {"calc/text.py": "def show(value):\n    return str(value)\n"},
}
TASK = """\
schema: 1
id: tiny-1
title: The mean of nothing
family: calc
difficulty: "<15 min fix"
source: {package: calc, release: "1.0", pull_request: 1}
pythons: ["3.11"]
obligations: {reported-case: The mean of nothing is 0.}
tests:
  - {name: test_empty, kind: failing, obligation: reported-case}
mutations:
  - {name: reported-only, obligation: reported-case, visible_tests_pass: true, summary: Only tuples.}
  - {name: shim, obligation: reported-case, visible_tests_pass: true, summary: Another error.}
  - {name: no-text, obligation: reported-case, visible_tests_pass: true, summary: Elsewhere.}
alternatives:
  - {name: helper, summary: A helper.}
visible_tests: []
explore:
  files: [calc/core.py, calc/text.py]
  patterns: ["def \\\\w", "'quotes'", "-x"]
  snippets:
    - "from calc.core import mean; print(mean([1, 2]), '$HOME `date`')"
    - |
      from calc.core import mean
      text = '''
      EOF
      '''
      print(mean([]))
    - "print(\\"it's\\")"
"""
#: What the hidden test would assert: run in the workspace, it exits 0 for a valid repair only.
CHECK = "from calc.core import mean, spread; assert mean([]) == 0 and mean([1, 2]) == 1.5 and spread([1, 3]) == 2"


def git(cwd: Path, *args: str) -> bytes:
    identity = ("-c", "user.name=t", "-c", "user.email=t@example.org")
    return subprocess.run(["git", *identity, *args], cwd=cwd, check=True, stdout=subprocess.PIPE).stdout


@dataclass(frozen=True)
class Tiny:
    """The package, the base tree, and the contents that each patch makes of it, by path of the patch."""

    task: TaskPackage
    tree: Path
    results: dict[str, dict[str, bytes]]

    @property
    def base(self) -> dict[str, bytes]:
        return self.contents(self.tree)

    @staticmethod
    def contents(root: Path) -> dict[str, bytes]:
        """Files of the project, the agent's scratch files left out."""
        return {p.relative_to(root).as_posix(): p.read_bytes() for p in root.rglob("calc/*.py")}

    @staticmethod
    def run(command: str, cwd: Path) -> subprocess.CompletedProcess[bytes]:
        """Run a command in bash."""
        env = {"PATH": os.environ["PATH"], "HOME": "/nonexistent", "PYTHONDONTWRITEBYTECODE": "1"}
        return subprocess.run(["bash", "-c", command], cwd=cwd, env=env, stdin=subprocess.DEVNULL, capture_output=True)

    @classmethod
    def passes(cls, cwd: Path) -> bool:
        """The verdict on a workspace."""
        return cls.run(f'python3 -S -c "{CHECK}"', cwd).returncode == 0

    def of(self, folder: str) -> list[dict[str, bytes]]:
        return [result for path, result in self.results.items() if path.startswith(folder)]


@pytest.fixture(scope="session")
def tiny(tmp_path_factory: pytest.TempPathFactory) -> Tiny:
    root = tmp_path_factory.mktemp("tiny")
    tree, package = root / "tree", root / "package"
    for name, text in BASE.items():
        (tree / name).parent.mkdir(parents=True, exist_ok=True)
        (tree / name).write_text(text, encoding="utf-8")
    git(tree, "init", "-q")
    git(tree, "add", "-A")
    git(tree, "commit", "-q", "-m", "base")
    results = {}
    for path, files in REPAIRS.items():
        for name, text in files.items():
            (tree / name).write_text(text, encoding="utf-8")
        git(tree, "add", "-N", ".")
        (package / path).parent.mkdir(parents=True, exist_ok=True)
        (package / path).write_bytes(git(tree, "diff", "-U1"))
        results[path] = Tiny.contents(tree)
        git(tree, "reset", "-q", "--hard")
    (package / "task.yaml").write_text(TASK)
    (package / "issue.md").write_text("mean([]) raises ZeroDivisionError; it should be 0.\n")
    (package / "hidden").mkdir()
    (package / "hidden/test_hidden.py").write_text("def test_empty():\n    pass\n")
    return Tiny(TaskPackage(package), tree, results)


@pytest.fixture
def workspace(tiny: Tiny, tmp_path: Path) -> Callable[[], Path]:
    """Makes fresh copies of the base tree."""
    made: list[Path] = []

    def make() -> Path:
        made.append(tmp_path / str(len(made)))
        shutil.copytree(tiny.tree, made[-1], symlinks=True)
        return made[-1]

    return make
