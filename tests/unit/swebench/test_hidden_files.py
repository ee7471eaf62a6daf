"""Names of tests become functions of the files that the test patch makes."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from tiny_instances import REPO

from harness.errors import InputError
from tasks.swebench.hidden import NamedTest, hidden_files
from tasks.swebench.instance import Instance
from tasks.swebench.mirror import check_out, find_mirror

_FILE = "tinypkg/tests/test_core.py"


@pytest.fixture
def tree(tmp_path: Path, repository: tuple[Path, str, str]) -> Path:
    repos, base, _ = repository
    check_out(find_mirror(repos, REPO, base), base, tmp_path)
    return tmp_path


def test_bare_names_and_ids_are_resolved(tree: Path, tiny: dict[str, Any]) -> None:
    hidden = hidden_files(Instance.model_validate(tiny), tree)
    assert hidden.failing == {"test_doubles": [NamedTest(_FILE, "test_doubles")]}
    assert set(hidden.guards) == {"test_two", "test_half"}
    tiny["FAIL_TO_PASS"] = [f"{_FILE}::test_doubles"]
    hidden = hidden_files(Instance.model_validate(tiny), tree)
    assert list(hidden.failing.values()) == [[NamedTest(_FILE, "test_doubles")]]
    assert "test_doubles" not in (tree / _FILE).read_text()


def test_a_name_in_two_files_means_both(tree: Path, tiny: dict[str, Any]) -> None:
    tiny["test_patch"] += (
        "diff --git a/tinypkg/tests/test_more.py b/tinypkg/tests/test_more.py\nnew file mode 100644\n"
        "--- /dev/null\n+++ b/tinypkg/tests/test_more.py\n@@ -0,0 +1,2 @@\n+def test_doubles():\n+    pass\n"
        "diff --git a/tinypkg/tests/helper.py b/tinypkg/tests/helper.py\ndeleted file mode 100644\n"
        "--- a/tinypkg/tests/helper.py\n+++ /dev/null\n@@ -1 +0,0 @@\n-FIVE = 5\n"
    )
    hidden = hidden_files(Instance.model_validate(tiny), tree)
    assert {test.file for test in hidden.failing["test_doubles"]} == {_FILE, "tinypkg/tests/test_more.py"}
    assert hidden.files["tinypkg/tests/helper.py"] is None


def test_a_name_that_means_nothing_is_an_error_and_a_guard_elsewhere_is_left_out(
    tree: Path, tiny: dict[str, Any]
) -> None:
    tiny["PASS_TO_PASS"] = ["test_two", "test_of_another_file"]
    assert list(hidden_files(Instance.model_validate(tiny), tree).guards) == ["test_two"]
    tiny["FAIL_TO_PASS"] = ["test_of_another_file"]
    hidden = hidden_files(Instance.model_validate(tiny), tree)
    with pytest.raises(InputError, match=r"test_of_another_file.*is no function"):
        _ = hidden.failing


@pytest.mark.parametrize("path", ["tinypkg/tests/test_core.py", "../outside.py"])
def test_a_test_patch_that_does_not_apply(tree: Path, tiny: dict[str, Any], path: str) -> None:
    tiny["test_patch"] = f"diff --git a/{path} b/{path}\n--- a/{path}\n+++ b/{path}\n@@ -1 +1 @@\n-not there\n+x\n"
    with pytest.raises(InputError, match="does not apply"):
        hidden_files(Instance.model_validate(tiny), tree)
