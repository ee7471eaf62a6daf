"""Patches: what they touch, and that their text reaches a command unchanged."""

from __future__ import annotations

import shutil
import subprocess

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from harness.errors import InputError
from harness.models.patches import heredoc, read_patch, task_patches
from tasks.package import TaskPackage, task_roots
from tasks.registry import load_task


def cat(text: str) -> bytes:
    return subprocess.run(["bash", "-c", heredoc("cat", text)], capture_output=True, check=True).stdout


@settings(max_examples=60, deadline=None)
@given(st.text(st.characters(exclude_characters="\0", exclude_categories=["Cs"]), max_size=80))
@example("$HOME `date` $(id) \\ \\n 'a' \"b\" !! \t \r\n\x0c\x1c end\n")
@example("EOF\nEOF2\nnaïve")
@example("\n\n")
@example("")
def test_text_survives_the_heredoc(text):
    want = text if not text or text.endswith("\n") else text + "\n"
    assert cat(text) == want.encode()


@pytest.mark.parametrize("task_id", list(task_roots()) or [pytest.param("", marks=pytest.mark.skip("no packages"))])
def test_shipped_patches_survive_the_heredoc(task_id):
    patches = task_patches(load_task(task_id))
    for patch in patches.valid + patches.wrong:
        assert patch.changed or patch.created
        assert cat(patch.text) == patch.text.encode()


def test_files_of_a_patch(tiny):
    patches = task_patches(tiny.task)
    by_name = {patch.name: patch for patch in patches.valid + patches.wrong}
    assert [p.name for p in patches.valid] == ["reference", "helper"]
    assert by_name["reference"].changed == ("calc/core.py", "calc/text.py")
    assert by_name["reference"].hunks == (("calc/core.py", 14), ("calc/text.py", 1))
    assert (by_name["shim"].changed, by_name["shim"].created) == (("calc/core.py",), ("calc/shim.py",))
    assert patches.changed == ("calc/core.py", "calc/text.py")
    assert patches.created == ("calc/helper.py", "calc/shim.py")


def test_renames_deletions_and_names_with_spaces():
    text = (
        "diff --git a/old.py b/new.py\nsimilarity index 90%\nrename from old.py\nrename to new.py\n"
        "--- a/old.py\n+++ b/new.py\n@@ -3 +3 @@\n--- a/decoy\n+x\n"
        "diff --git a/gone b/gone\ndeleted file mode 100644\n--- a/gone\n+++ /dev/null\n@@ -1 +0,0 @@\n-x\n"
        "diff --git a/a b.py b/a b.py\n--- a/a b.py\t\n+++ b/a b.py\t\n@@ -7 +7 @@\n-x\n+y\n"
    )
    patch = read_patch(text.encode(), name="n", file="f")
    assert patch.changed == ("old.py", "gone", "a b.py")
    assert patch.created == ("new.py",)
    assert patch.hunks == (("old.py", 3), ("gone", 1), ("a b.py", 7))


@pytest.mark.parametrize(("data", "what"), [
    (b"diff --git a/x b/x\n\xff", "byte 19 is not UTF-8"),
    (b"diff --git a/x b/x\n--- a/x\n+++ b/x\n@@ -1 +1 @@\n-\0\n+y\n", "NUL"),
    (b"--- a/x\n+++ b/x\n@@ -1 +1 @@\n-x\n+y\n", "no 'diff --git' line"),
    (b"", "no 'diff --git' line"),
    (b"diff --git a/x b/x\nGIT binary patch\nliteral 1\n", "names no text file"),
])
def test_unusable_patches_are_named(tiny, tmp_path, data, what):
    root = tmp_path / "package"
    shutil.copytree(tiny.task.root, root)
    (root / "mutations/shim.patch").write_bytes(data)
    with pytest.raises(InputError, match=what) as caught:
        task_patches(TaskPackage(root))
    assert str(caught.value).startswith(f"{root}/mutations/shim.patch: ") and "mend: write it" in str(caught.value)
