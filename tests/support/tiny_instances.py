"""A repository with a history and a SWE-bench-format record of a bug in it, both made here."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path
from typing import Any

from tasks.swebench.repositories import Repository

REPO = "acme/tinypkg"

_CORE = "def double(n):\n    return n + 2\n\n\ndef half(n):\n    return n / 2\n"
_FIXED = _CORE.replace("n + 2", "2 * n")
_TESTS = """from tinypkg.core import double, half


def test_two():
    assert double(2) == 4


def test_half():
    assert half(3) == 1.5
"""
_NEW_TEST = """

def test_doubles():
    assert double(5) == 10
"""
SOURCE_FIX = """diff --git a/tinypkg/core.py b/tinypkg/core.py
--- a/tinypkg/core.py
+++ b/tinypkg/core.py
@@ -1,5 +1,5 @@
 def double(n):
-    return n + 2
+    return 2 * n
{blank}{blank} def half(n):
""".replace("{blank}", " \n")  # an empty line of context


def git(folder: Path, *arguments: str) -> str:
    """Runs git with a fixed identity; what it printed."""
    identity = ["-c", "user.name=t", "-c", "user.email=t@example.invalid", "-c", "init.defaultBranch=main"]
    return subprocess.run(
        ["git", *identity, *arguments], cwd=folder, check=True, capture_output=True, text=True
    ).stdout.strip()


def write(root: Path, files: dict[str, str]) -> None:
    for name, text in files.items():
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)


def make_repository(root: Path, new_test: str = _NEW_TEST) -> tuple[str, str]:
    """An ordinary repository at ``root``: the commit before the repair, and the test patch that came with it.

    Args:
        new_test: code that defines ``test_doubles``.
    """
    root.mkdir(parents=True)
    git(root, "init", "-q")
    write(root, {
        "tinypkg/__init__.py": "", "tinypkg/core.py": _CORE, "tinypkg/tests/__init__.py": "",
        "tinypkg/tests/test_core.py": _TESTS, "tinypkg/tests/helper.py": "FIVE = 5\n", "run.sh": "echo run\n",
        ".gitattributes": "run.sh export-ignore\n",
    })  # fmt: skip
    (root / "run.sh").chmod(0o755)
    git(root, "add", "-A")
    git(root, "commit", "-qm", "base")
    base = git(root, "rev-parse", "HEAD")
    write(root, {"tinypkg/tests/test_core.py": _TESTS + new_test})
    test_patch = git(root, "diff") + "\n"
    write(root, {"tinypkg/core.py": _FIXED})
    git(root, "commit", "-qam", "the repair, which nobody may see")
    return base, test_patch


def record(base: str, test_patch: str, **changes: Any) -> dict[str, Any]:
    """A v4 record."""
    return {
        "repo": REPO, "instance_id": "acme__tinypkg-7", "base_commit": base, "patch": SOURCE_FIX,
        "test_patch": test_patch, "problem_statement": "double(5) gives 7.", "hints_text": "", "version": "1.0",
        "FAIL_TO_PASS": json.dumps(["test_doubles"]), "PASS_TO_PASS": json.dumps(["test_two", "test_half"]), **changes,
    }  # fmt: skip


def repository_entry() -> Repository:
    """What tasks/swebench/repositories.py would say of it."""
    site = Path(__file__).resolve().parents[2] / "tasks" / "sandbox-site.txt"
    seeds = "import random\nrandom.seed(0)\n"
    return Repository("tinypkg", lambda version: ("3.11", "3.12", "3.13"), site, seeds, "python -m tinypkg.tests")


def write_dataset(path: Path, *records: Any) -> Path:
    """JSON Lines; text is written as it is."""
    path.write_text("".join(f"{r if isinstance(r, str) else json.dumps(r)}\n" for r in records))
    return path
