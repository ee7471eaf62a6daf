"""An instance as a task: what its digest covers, and what the scripted agent gets."""

from __future__ import annotations

import subprocess
from pathlib import Path
from random import Random
from typing import Any

import pytest
from tiny_instances import REPO

from harness.models.moves import Moves
from harness.models.patches import task_patches
from tasks.interface import RepairTask
from tasks.swebench.instance import Instance
from tasks.swebench.mirror import check_out, find_mirror
from tasks.swebench.task import SwebenchTask


def task_of(record: dict[str, Any]) -> SwebenchTask:
    return SwebenchTask(Instance.model_validate(record))


@pytest.mark.parametrize(
    ("key", "value", "part"),
    [
        ("base_commit", "0" * 40, "base"), ("repo", "acme/other", "base"), ("problem_statement", "Other.", "issue"),
        ("FAIL_TO_PASS", ["test_two"], "hidden"), ("PASS_TO_PASS", None, "hidden"),
        ("test_patch", "diff --git a/x b/x\n", "hidden"), ("patch", "diff --git a/x b/x\n", "repairs"),
    ],
)  # fmt: skip
def test_the_digest_covers_what_identifies_it(tiny: dict[str, Any], key: str, value: Any, part: str) -> None:
    before, after = task_of(tiny), task_of(tiny | {key: value})
    assert {name for name in before.parts if before.parts[name] != after.parts[name]} == {part}
    assert before.digest != after.digest
    assert (before.verdict_digest != after.verdict_digest) == (part in ("base", "hidden"))


def test_the_digest_covers_nothing_else(tiny: dict[str, Any]) -> None:
    other = tiny | {"hints_text": "Look there.", "created_at": "now", "difficulty": "hard", "_provenance": "x"}
    assert task_of(tiny).digest == task_of(other).digest


def test_python_and_packages_are_part_of_it(tiny: dict[str, Any]) -> None:
    old, new = (task_of(tiny | {"repo": "sympy/sympy", "version": version}) for version in ("1.1", "1.10"))
    assert old.parts["limits"] != new.parts["limits"]


def test_the_note_is_an_edit_that_applies_and_changes_nothing(
    tmp_path: Path, tiny: dict[str, Any], repository: tuple[Path, str, str]
) -> None:
    repos, base, _ = repository
    check_out(find_mirror(repos, REPO, base), base, tmp_path)
    task = task_of(tiny)
    assert isinstance(task, RepairTask)
    patches = task_patches(task)
    before = (tmp_path / "tinypkg" / "core.py").read_text()
    subprocess.run(["bash", "-c", patches.wrong[0].apply], cwd=tmp_path, check=True)
    after = (tmp_path / "tinypkg" / "core.py").read_text()
    assert after != before
    assert [line for line in after.splitlines() if not line.startswith("#")] == before.splitlines()
    assert list(task.explore.files) == ["tinypkg/core.py"]


def test_a_repair_that_only_adds_files_leaves_no_wrong_move(tiny: dict[str, Any]) -> None:
    new = "diff --git a/n.py b/n.py\nnew file mode 100644\n--- /dev/null\n+++ b/n.py\n@@ -0,0 +1 @@\n+x = 1\n"
    task = task_of(tiny | {"patch": new})
    assert task.mutations == {}
    assert Moves(task).reply("wrong", Random(1)).calls
