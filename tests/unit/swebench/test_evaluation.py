"""The record that the swebench package gets, and the names of images."""

from __future__ import annotations

import sys
from typing import Any

import pytest
from tiny_instances import REPO, repository_entry

from harness.errors import InputError
from tasks.swebench.evaluation import evaluation_record
from tasks.swebench.images import image_names
from tasks.swebench.instance import Instance
from tasks.swebench.repositories import REPOSITORIES

V5 = {"image": "a/b:c", "log_parser": "parse_log_x", "eval_type": "fail_only", "eval_script": "#!/bin/bash\ntrue\n"}


def made(data: dict[str, Any], **changes: Any) -> Instance:
    return Instance.model_validate(data | changes)


def test_a_record_of_format_5_is_handed_on_without_the_package(tiny: dict[str, Any]) -> None:
    instance = made(tiny, **V5)
    assert image_names(instance) == ("a/b:c",)
    record = evaluation_record(instance, "a/b:c")
    assert {name: record[name] for name in V5} == V5
    assert (record["FAIL_TO_PASS"], record["PASS_TO_PASS"]) == (["test_doubles"], ["test_half", "test_two"])
    assert evaluation_record(made(tiny, PASS_TO_PASS=None, **V5), "x")["PASS_TO_PASS"] == []


def test_a_record_of_format_4_is_filled_in(tiny: dict[str, Any], monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("swebench", reason="needs the swebench package (requirements/swebench.txt)")
    monkeypatch.setitem(REPOSITORIES, "sympy/sympy", repository_entry())
    new = "diff --git a/x/test_new.py b/x/test_new.py\nnew file mode 100644\n--- /dev/null\n+++ b/x/test_new.py\n"
    more = tiny["test_patch"] + new + "@@ -0,0 +1 @@\n+x = 1\n"
    record = evaluation_record(made(tiny, repo="sympy/sympy", test_patch=more), "image")
    assert (record["log_parser"], record["eval_type"]) == ("parse_log_sympy", "pass_and_fail")
    lines = record["eval_script"].splitlines()
    start, end = lines.index(": '>>>>> Start Test Output'"), lines.index(": '>>>>> End Test Output'")
    assert lines[start + 1 : end] == ["python -m tinypkg.tests tinypkg/tests/test_core.py x/test_new.py"]
    reset = [f"git checkout {tiny['base_commit']} tinypkg/tests/test_core.py", "rm -f x/test_new.py"]
    assert lines[end + 1 :] == reset
    before = lines.index(reset[0])
    assert lines[before : before + 2] == reset and lines[before + 2].startswith("git apply -v - <<'EOF_")
    word = lines[before + 2].partition("'")[2].rstrip("'")
    assert "\n".join(lines[before + 3 : lines.index(word)]) + "\n" == more


def test_format_4_of_an_unknown_repository_says_what_is_missing(tiny: dict[str, Any]) -> None:
    pytest.importorskip("swebench", reason="needs the swebench package (requirements/swebench.txt)")
    assert REPO not in REPOSITORIES
    with pytest.raises(InputError) as caught:
        evaluation_record(made(tiny), "image")
    assert caught.value.key == "log_parser" and "format 5" in str(caught.value)
    with pytest.raises(InputError) as caught:
        evaluation_record(made(tiny, log_parser="parse_log_pytest"), "image")
    assert caught.value.key == "eval_script"


def test_without_the_package_a_name_cannot_be_given(tiny: dict[str, Any], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "swebench", None)
    for module in [name for name in sys.modules if name.startswith("swebench.")]:
        monkeypatch.delitem(sys.modules, module)
    with pytest.raises(InputError, match=r"requirements/swebench\.txt"):
        image_names(made(tiny))
