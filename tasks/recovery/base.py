"""The broken state of a recovery task as a base tree: files of the package, then its deterministic initialiser."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

from harness.errors import InputError
from harness.workspace.base import Base, build_base, built_digest
from tasks.recovery.task import RecoveryTask

#: Seconds that an initialiser may take.
_BUILD_SECONDS = 60


def build_tree(task: RecoveryTask, target: Path) -> None:
    """Fills the empty folder ``target`` with the broken state.

    Raises:
        InputError: the initialiser fails.
    """
    for tree in task.trees:
        for path in sorted(tree.rglob("*")):
            if "__pycache__" in path.parts:
                continue
            place = target / path.relative_to(tree)
            if not path.is_dir():  # a version control keeps no empty folder: what is not filled is made below
                place.parent.mkdir(parents=True, exist_ok=True)
                place.write_bytes(path.read_bytes())
                place.chmod(0o755 if path.stat().st_mode & 0o100 else 0o644)
    (target / "etc").mkdir(exist_ok=True)
    builder = task.root / "hidden" / "build.py"
    done = subprocess.run(
        [sys.executable, "-I", "-B", str(builder), str(target)], capture_output=True, text=True, cwd=target,
        timeout=_BUILD_SECONDS, stdin=subprocess.DEVNULL, env={"PATH": os.defpath, "PYTHONHASHSEED": "0"}, umask=0o022,
    )  # fmt: skip
    if done.returncode:
        raise InputError(f"ends with {done.returncode}: {done.stderr.strip()[-500:]}", file=builder, mend="correct it")
    for folder in [target, *(path for path in target.rglob("__pycache__"))]:
        if folder != target:
            shutil.rmtree(folder)


def base_of(task: RecoveryTask) -> Base:
    """The base of ``task``, built if this machine does not have it. It has no git repository: a broken machine is
    none, and a hasty repair could take back from it what it destroyed."""
    return build_base(_key(task), lambda target: build_tree(task, target), [], repository=False)


def known_base(task: RecoveryTask) -> str | None:
    """Digest of the base of ``task`` if this machine has built it."""
    return built_digest(_key(task))


def _key(task: RecoveryTask) -> dict[str, object]:
    return {"recovery": task.id, "base": task.parts["base"]}
