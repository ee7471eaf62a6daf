"""A laboratory that costs nothing: a task on a package of two files, stages on it, state and cache in a folder.

The base is a source distribution made here and put where a download would be kept; everything else is the real thing.
"""

from __future__ import annotations

import gzip
import hashlib
import io
import os
import shutil
import subprocess
import sys
import tarfile
from dataclasses import dataclass, field
from pathlib import Path

import yaml

PROJECT = Path(__file__).resolve().parents[2]

_FILES = {
    "tinypkg-1.0/tinypkg/__init__.py": "from tinypkg.core import double, half\n",
    "tinypkg-1.0/tinypkg/core.py": "def double(n):\n    return n + 2\n\n\ndef half(n):\n    return n / 2\n",
    "tinypkg-1.0/tinypkg/tests/test_core.py": (
        "from tinypkg import double\n\n\ndef test_two():\n    assert double(2) == 4\n"
    ),
    "tinypkg-1.0/README": "A tiny package.\n",
}
_FILE = "tinypkg/core.py"
_HEAD = f"diff --git a/{_FILE} b/{_FILE}\n--- a/{_FILE}\n+++ b/{_FILE}\n@@ -1,3 +1,3 @@\n"


def repair(body: str) -> str:
    """A patch that makes ``double`` return ``body``."""
    return f"{_HEAD} def double(n):\n-    return n + 2\n+    return {body}\n \n"


HIDDEN = """
def test_doubles():
    from tinypkg import double
    assert double(3) == 6 and double(-1) == -2


def test_large():
    from tinypkg import double
    assert double(10**6) == 2 * 10**6


def test_half():
    from tinypkg import half
    assert half(3) == 1.5
"""

_SPEC = {
    "schema": 1,
    "title": "double adds two",
    "family": "core",
    "difficulty": "<15 min fix",
    "source": {"package": "tinypkg", "release": "1.0", "pull_request": 1},
    "pythons": ["3.11", "3.12", "3.13"],
    "obligations": {
        "doubles": "double(n) is twice n.", "large": "For large n too.", "half-unchanged": "half is as it was.",
    },
    "tests": [
        {"name": "test_doubles", "kind": "failing", "obligation": "doubles"},
        {"name": "test_large", "kind": "failing", "obligation": "large"},
        {"name": "test_half", "kind": "guard", "obligation": "half-unchanged"},
    ],
    "mutations": [
        {"name": "small-only", "obligation": "large", "visible_tests_pass": True, "summary": "Right below ten."},
        {"name": "zero", "obligation": "doubles", "visible_tests_pass": False, "summary": "Always zero."},
    ],
    "alternatives": [{"name": "shift", "summary": "Adds n to itself."}],
    "visible_tests": ["tinypkg/tests/test_core.py"],
    "explore": {
        "files": ["tinypkg/core.py"],
        "patterns": ["double", "half"],
        "snippets": ["import tinypkg; print(tinypkg.double(3))"],
    },
}

LAW = {
    "hazard": [{"from": 1, "value": 0.0}, {"from": 3, "value": 0.25}],
    "malformed": 0.1, "malformed_after_malformed": 0.4, "submit": 0.05, "destroy": 0.05,
}  # fmt: skip


def stage_data(stage: str = "tiny", **changes: object) -> dict[str, object]:
    """A valid stage on the tiny task."""
    return {
        "schema": 1, "stage": stage, "kind": "collect", "title": "Tiny", "description": "For tests.",
        "selection": {"rule": "The only task there is.", "rejected": []},
        "tasks": ["tiny-1"], "repeats": 4, "horizon": 8, "arms": [{"name": "baseline"}],
        "verification": {"after_pass": "stop", "on_unverified_submit": "terminal"},
        "agent": {"prompts": "mini-swe-agent/benchmarks/swebench", "max_consecutive_format_errors": 3},
        "limits": {
            "command_seconds": 20, "wall_seconds": 600, "memory_mb": 2048, "processes": 128, "disk_mb": 256,
            "inodes": 20000, "output_kb": 256,
        },
        "sandbox": {"kind": "bubblewrap", "network": False},
        "retry": {"max_tries": 2, "wait_seconds_max": 1},
        "runtimes": {
            "scripted": {"agent": "scripted", "model": {"kind": "scripted", "scale": 1.0, "law": LAW}},
            "oracle": {"agent": "oracle"}, "nop": {"agent": "nop"},
            "paid": {
                "agent": "default", "model": {"kind": "litellm", "name": "openai/x", "credential": "TINY_LAB_KEY"},
            },
        },
        "sets": {"scripted": ["scripted"], "oracle": ["oracle"], "nop": ["nop"], "paid": ["paid"]},
        "default_set": "scripted",
        "analysis": {
            "budget": 8, "cutoffs": [2, 4, 8], "times": [2, 4], "alpha": 0.05, "method": "clopper-pearson",
            "family": "tasks x times", "expansion_rule": "None.",
        },
        **changes,
    }  # fmt: skip


@dataclass
class TinyLab:
    """Folders of a laboratory, and the command line run in it."""

    root: Path
    environment: dict[str, str] = field(default_factory=dict)

    @property
    def task(self) -> Path:
        return self.root / "tasks" / "tiny" / "1"

    @property
    def state(self) -> Path:
        return self.root / "state"

    def write_stage(self, stage: str = "tiny", **changes: object) -> Path:
        path = self.root / "protocols" / f"{stage}.yaml"
        path.write_text(yaml.safe_dump(stage_data(stage, **changes), sort_keys=False))
        return path

    def copied(self, root: Path) -> TinyLab:
        """A copy of the laboratory, with all that it collected, below ``root``; the cache is shared."""
        shutil.copytree(self.root, root, symlinks=True)
        return TinyLab(root, {k: v.replace(str(self.root), str(root)) for k, v in self.environment.items()})

    def command(self, *arguments: str) -> list[str]:
        return [sys.executable, "-c", "from harness.cli import main; main()", *arguments]

    def run(self, *arguments: str, **more: str) -> subprocess.CompletedProcess[str]:
        """``restartlab`` with these arguments, in the laboratory."""
        return subprocess.run(
            self.command(*arguments), env=self.environment | more, cwd=self.root, capture_output=True, text=True,
            stdin=subprocess.DEVNULL, timeout=300,
        )  # fmt: skip


def make_lab(root: Path, cache: Path) -> TinyLab:
    """A laboratory below ``root`` with one task, ``tiny-1``; ``cache`` may be shared between laboratories."""
    archive = _archive()
    sha256 = hashlib.sha256(archive).hexdigest()
    sources = cache / "restartlab" / "sources"
    sources.mkdir(parents=True, exist_ok=True)
    (sources / f"{sha256}.tar.gz").write_bytes(archive)
    lab = TinyLab(root)
    task = lab.task
    for name in ("hidden", "mutations", "alternatives"):
        (task / name).mkdir(parents=True)
    (root / "protocols").mkdir()
    (root / "tasks" / "sources.yaml").write_text(yaml.safe_dump({"tinypkg": {"1.0": sha256}}))
    (root / "tasks" / "sandbox-site.txt").write_bytes((PROJECT / "tasks" / "sandbox-site.txt").read_bytes())
    (task / "task.yaml").write_text(yaml.safe_dump({"id": "tiny-1", **_SPEC}, sort_keys=False))
    (task / "issue.md").write_text("double(3) gives 5, not 6.\n")
    (task / "hidden" / "test_hidden.py").write_text(HIDDEN)
    (task / "reference.patch").write_text(repair("2 * n"))
    (task / "mutations" / "small-only.patch").write_text(repair("2 * n if n < 10 else n + 2"))
    (task / "mutations" / "zero.patch").write_text(repair("0"))
    (task / "alternatives" / "shift.patch").write_text(repair("n + n"))
    lab.environment = {
        **{name: value for name, value in os.environ.items() if not name.startswith(("RESTARTLAB_", "PYTEST_"))},
        "PYTHONPATH": str(PROJECT), "XDG_CACHE_HOME": str(cache), "RESTARTLAB_STATE": str(lab.state),
        "RESTARTLAB_TASKS": str(root / "tasks"), "RESTARTLAB_PROTOCOLS": str(root / "protocols"),
        "HOME": str(root / "home"),
    }  # fmt: skip
    return lab


def _archive() -> bytes:
    raw = io.BytesIO()
    with tarfile.open(fileobj=raw, mode="w") as tar:
        for name, text in _FILES.items():
            member = tarfile.TarInfo(name)
            member.size, member.mode = len(text), 0o644
            tar.addfile(member, io.BytesIO(text.encode()))
    return gzip.compress(raw.getvalue(), mtime=0)
