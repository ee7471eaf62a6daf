"""Stages in subfolders of the protocol directory."""

from __future__ import annotations

from pathlib import Path

import pytest

from harness.errors import InputError
from harness.paths import PROJECT
from harness.protocol.load import find_stage, parse_protocol, stage_files, stage_name
from harness.yamlfile import load_yaml

SHIPPED = ("pilot30", "highid30", "stress30", "horizon60")


@pytest.fixture
def protocols(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("RESTARTLAB_PROTOCOLS", str(tmp_path))
    (tmp_path / "sub").mkdir()
    return tmp_path


def test_folder_and_file_make_the_name(protocols: Path) -> None:
    (protocols / "sub" / "one.yaml").write_text("schema: 1\nstage: subone\n")
    (protocols / "sub" / "prompts.yaml").write_text("agent:\n  stage: none\n")
    (protocols / "two.yaml").write_text("stage: two\n")
    assert stage_files() == {"two": protocols / "two.yaml", "subone": protocols / "sub" / "one.yaml"}
    assert find_stage("subone") == protocols / "sub" / "one.yaml"
    with pytest.raises(InputError, match="unknown stage 'one'"):
        find_stage("one")


def test_two_files_of_one_name_are_refused(protocols: Path) -> None:
    (protocols / "sub" / "one.yaml").write_text("stage: subone\n")
    (protocols / "subone.yaml").write_text("stage: subone\n")
    with pytest.raises(InputError, match="is named like"):
        stage_files()


@pytest.mark.parametrize("stage", SHIPPED)
def test_the_benchmarks_stages_mirror_those_on_releases(stage: str) -> None:
    path = PROJECT / "protocols" / "swebench" / f"{stage}.yaml"
    here = parse_protocol(load_yaml(path), path)
    there = parse_protocol(load_yaml(PROJECT / "protocols" / f"{stage}.yaml"), PROJECT / "protocols" / f"{stage}.yaml")
    assert stage_name(path) == here.stage == f"swebench{stage}"
    assert here.tasks == [task.replace("sympy-", "swebench-sympy__sympy-") for task in there.tasks]
    same = ("repeats", "horizon", "arms", "verification", "agent", "limits", "sandbox", "retry", "analysis", "sets")
    for key in same:
        assert getattr(here, key) == getattr(there, key), key
