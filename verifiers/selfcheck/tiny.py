"""A task small enough to be judged in a fraction of a second, made on the spot."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import yaml

from harness.sandbox.tools import Tools
from harness.workspace.base import Base, build_base
from tasks.package import TaskPackage

MODULE = "selfcheckpkg"
CORE = f"{MODULE}/core.py"
#: Stands in the repair only: whoever finds it in a workspace has found a later state.
REPAIRED = "return 2 * n  # repaired"

_FILES = {
    f"{MODULE}/__init__.py": f"from {MODULE}.core import double, half\n",
    CORE: "def double(n):\n    return n + 2\n\n\ndef half(n):\n    return n / 2\n",
    f"{MODULE}/tests/__init__.py": "",
    f"{MODULE}/tests/test_core.py": f"from {MODULE} import double\n\n\ndef test_two():\n    assert double(2) == 4\n",
    "README": "A tiny package.\n",
}
#: Stands in the hidden tests only.
HIDDEN_MARK = "hidden-test-of-the-self-check"
_HIDDEN = f"""MARK = "{HIDDEN_MARK}"


def test_doubles():
    from {MODULE} import double
    assert double(3) == 6 and double(-1) == -2


def test_half():
    from {MODULE} import half
    assert half(3) == 1.5
"""
_PATCH = f"""diff --git a/{CORE} b/{CORE}
--- a/{CORE}
+++ b/{CORE}
@@ -1,3 +1,3 @@
 def double(n):
-    return n + 2
+    {REPAIRED}
 \n"""
_SPEC: dict[str, Any] = {
    "schema": 1, "id": "selfcheck-1", "title": "double adds two", "family": "selfcheck", "difficulty": "<15 min fix",
    "source": {"package": MODULE, "release": "1", "pull_request": 1}, "pythons": ["3.11", "3.12", "3.13"],
    "obligations": {"doubles": "double(n) is twice n.", "half": "half is as it was."},
    "tests": [
        {"name": "test_doubles", "kind": "failing", "obligation": "doubles"},
        {"name": "test_half", "kind": "guard", "obligation": "half"},
    ],
    "mutations": [{"name": "none", "obligation": "doubles", "visible_tests_pass": False, "summary": "Not used."}],
    "visible_tests": [f"{MODULE}/tests/test_core.py"],
    "explore": {"files": [CORE], "patterns": ["double"], "snippets": [f"import {MODULE}"]}, "test_seconds": 10.0,
}  # fmt: skip


def tiny_task(root: Path) -> TaskPackage:
    """The task package, written below ``root``."""
    for name in ("hidden", "mutations"):
        (root / name).mkdir(parents=True)
    (root / "task.yaml").write_text(yaml.safe_dump(_SPEC))
    (root / "issue.md").write_text("double(3) gives 5.\n")
    (root / "hidden" / "test_hidden.py").write_text(_HIDDEN)
    for name in ("reference", "mutations/none"):
        (root / f"{name}.patch").write_text(_PATCH)
    return TaskPackage(root)


def _unpack(target: Path) -> None:
    for name, text in _FILES.items():
        place = target / name
        place.parent.mkdir(mode=0o755, parents=True, exist_ok=True)
        place.write_text(text)


def tiny_base(tools: Tools) -> Base:
    """Its base, from the cache or built."""
    assert tools.python is not None
    return build_base({"selfcheck": _FILES}, _unpack, [tools.python.executable])
