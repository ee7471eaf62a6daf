"""The commands that take a dataset."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from tiny_instances import write_dataset
from tiny_lab import TinyLab

TASK = "swebench-acme__tinypkg-7"


@pytest.fixture
def dataset(lab: TinyLab, tiny: dict[str, Any]) -> Path:
    return write_dataset(lab.root / "d.jsonl", tiny, {"instance_id": "acme__tinypkg-8"})


@pytest.mark.needs_bwrap
def test_gate_takes_the_datasets_instances_and_tells_what_it_cannot_run(
    lab: TinyLab, dataset: Path, repository: tuple[Path, str, str]
) -> None:
    done = lab.run("gate", "--dataset", str(dataset), "--repos", str(repository[0]))
    assert done.returncode == 1
    assert f"{TASK} not gated" in done.stdout and "0 of 1 tasks qualified" in done.stdout
    assert "acme/tinypkg" in done.stdout
    assert "docker" in done.stdout
    assert "tiny-1" not in done.stdout
    assert "line 2: acme__tinypkg-8: repo: is missing" in done.stderr


def test_options_that_name_nothing_are_refused(lab: TinyLab, dataset: Path) -> None:
    for arguments in (("--dataset", "nowhere.jsonl"), ("--dataset", str(dataset), "--repos", "nowhere")):
        done = lab.run("gate", *arguments)
        assert done.returncode == 2, done.stderr
        assert "nowhere" in done.stderr
        assert "mend:" in done.stderr


def test_a_stage_is_frozen_with_its_dataset_wherever_that_lies(lab: TinyLab, dataset: Path) -> None:
    lab.write_stage("tiny", tasks=[TASK])
    without = lab.run("freeze", "tiny")
    assert without.returncode == 2
    assert "--dataset FILE" in without.stderr
    done = lab.run("freeze", "tiny", "--dataset", str(dataset))
    assert done.returncode == 0, done.stderr
    moved = dataset.rename(lab.root / "elsewhere.jsonl")
    listed = json.loads(lab.run("protocols", "--json", RESTARTLAB_DATASETS=str(moved)).stdout)["protocols"]
    assert [(row["stage"], row["collectable"]) for row in listed] == [("tiny", True)]
    changed = moved.read_text().replace("gives 7", "gives 8")
    moved.write_text(changed)
    refused = lab.run("collect", "tiny", "--dataset", str(moved))
    assert refused.returncode == 2
    assert "tasks.swebench-acme__tinypkg-7.issue" in refused.stderr
