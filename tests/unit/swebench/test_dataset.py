"""Datasets: formats, both versions of a record, and damage that is told and costs one record only."""

from __future__ import annotations

import gzip
import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from tiny_instances import REPO, repository_entry, write_dataset

from harness.errors import InputError
from harness.paths import PROJECT
from tasks import registry
from tasks.swebench.dataset import load_dataset, load_instances
from tasks.swebench.repositories import REPOSITORIES
from tasks.swebench.task import SwebenchTask


def test_all_formats_hold_the_same(tmp_path: Path, tiny: dict[str, Any]) -> None:
    import pyarrow
    import pyarrow.parquet

    lines = write_dataset(tmp_path / "a.jsonl", tiny)
    (tmp_path / "b.jsonl.gz").write_bytes(gzip.compress(lines.read_bytes()))
    (tmp_path / "c.json").write_text(json.dumps([tiny]))
    pyarrow.parquet.write_table(pyarrow.Table.from_pylist([tiny]), tmp_path / "d.parquet")
    found = [load_instances(str(tmp_path / name)) for name in ("a.jsonl", "b.jsonl.gz", "c.json", "d.parquet")]
    assert all(instances == found[0] for instances in found)
    assert found[0]["acme__tinypkg-7"].FAIL_TO_PASS == ("test_doubles",)


def test_both_versions_of_a_record_are_one_task(
    tmp_path: Path, tiny: dict[str, Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    newer = tiny | {
        "FAIL_TO_PASS": ["test_doubles"], "PASS_TO_PASS": ["test_half", "test_two"], "image": "some/image:1",
        "log_parser": "parse", "eval_type": "pass_and_fail", "eval_script": "true",
    }  # fmt: skip
    old = load_instances(str(write_dataset(tmp_path / "old.jsonl", tiny)))["acme__tinypkg-7"]
    new = load_instances(str(write_dataset(tmp_path / "new.jsonl", newer)))["acme__tinypkg-7"]
    judged_by_the_script = SwebenchTask(new, "there").parts
    monkeypatch.setitem(REPOSITORIES, REPO, repository_entry())
    assert SwebenchTask(old, "here").parts == SwebenchTask(new, "there").parts
    assert judged_by_the_script["limits"] != SwebenchTask(new, "there").parts["limits"]
    assert new.image == "some/image:1"


@pytest.mark.parametrize(
    ("key", "value"),
    [
        ("repo", "tinypkg"), ("base_commit", "main"), ("patch", "nothing"), ("test_patch", ""),
        ("FAIL_TO_PASS", "[]"), ("FAIL_TO_PASS", "test_doubles"), ("FAIL_TO_PASS", 3), ("PASS_TO_PASS", [1]),
        ("problem_statement", None), ("instance_id", "../x"),
    ],
)  # fmt: skip
def test_a_damaged_record_is_named_and_the_others_stay(
    tmp_path: Path, tiny: dict[str, Any], key: str, value: Any
) -> None:
    path = write_dataset(tmp_path / "d.jsonl", tiny | {"instance_id": "acme__tinypkg-1"}, tiny | {key: value}, "{")
    dataset = load_dataset(str(path))
    assert list(dataset.instances) == ["acme__tinypkg-1"]
    damaged, torn = (str(record.error) for record in dataset.damaged)
    assert str(path) in damaged
    assert "line 2" in damaged
    assert key in damaged
    assert "mend:" in damaged
    if key != "instance_id":
        assert "acme__tinypkg-7" in damaged
    assert "line 3" in torn


def test_a_missing_key_is_named(tmp_path: Path, tiny: dict[str, Any]) -> None:
    del tiny["base_commit"]
    (damaged,) = load_dataset(str(write_dataset(tmp_path / "d.jsonl", tiny))).damaged
    assert damaged.instance_id == "acme__tinypkg-7"
    assert (damaged.error.key, damaged.error.what) == ("line 1: acme__tinypkg-7: base_commit", "is missing")


def test_an_id_that_stands_twice_counts_once(tmp_path: Path, tiny: dict[str, Any]) -> None:
    dataset = load_dataset(str(write_dataset(tmp_path / "d.jsonl", tiny, tiny | {"instance_id": "ACME__tinypkg-7"})))
    assert len(dataset.instances) == len(dataset.damaged) == 1
    assert "twice" in dataset.damaged[0].error.what


@pytest.mark.parametrize(
    ("name", "content", "what"),
    [
        ("d.csv", b"a", "no known format"), ("d.json", b"{}", "dict"), ("d.json", b"[", "not JSON"),
        ("d.parquet", b"x", "no Parquet"), ("d.jsonl.gz", b"x", "cannot be read"),
    ],
)  # fmt: skip
def test_a_file_that_is_no_dataset(tmp_path: Path, name: str, content: bytes, what: str) -> None:
    (tmp_path / name).write_bytes(content)
    with pytest.raises(InputError, match=what):
        load_dataset(str(tmp_path / name))


def test_a_missing_file_is_no_name_on_the_hub(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="No such file"):
        load_dataset(str(tmp_path / "missing.jsonl"))


def test_the_hub_is_asked_by_name_only_and_its_absence_is_told() -> None:
    code = "from tasks.swebench.dataset import load_dataset; load_dataset('nobody/nothing@dev')"
    environment = os.environ | {"HF_HUB_OFFLINE": "1", "PYTHONPATH": str(PROJECT)}
    done = subprocess.run([sys.executable, "-c", code], env=environment, capture_output=True, text=True)
    assert "InfrastructureError: the dataset nobody/nothing@dev could not be had" in done.stderr
    assert "local file" in done.stderr


def test_instances_are_tasks_of_the_registry(
    tmp_path: Path, tiny: dict[str, Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("RESTARTLAB_DATASETS", raising=False)
    with pytest.raises(InputError, match="RESTARTLAB_DATASETS"):
        registry.load_task("swebench-acme__tinypkg-7")
    first, second = write_dataset(tmp_path / "a.jsonl", tiny), write_dataset(tmp_path / "b.jsonl", tiny)
    monkeypatch.setenv("RESTARTLAB_DATASETS", f"{first}{os.pathsep}{second}")
    assert "swebench-acme__tinypkg-7" in registry.task_ids()
    assert registry.load_task("swebench-acme__tinypkg-7").issue == "double(5) gives 7."
    write_dataset(second, tiny | {"problem_statement": "another"})
    with pytest.raises(InputError, match="two datasets"):
        registry.task_ids()
