"""Planning stages from the command line: collected, killed and resumed, shown, and read as a tensor."""

from __future__ import annotations

import json
import signal
import subprocess
import time
from collections import Counter
from pathlib import Path

import pytest
from planning_lab import MESSAGES, TASKS, make_planning_lab
from tiny_lab import TinyLab

from harness.planning.tensor import planning_rows
from harness.store.store import Store


@pytest.fixture(scope="module")
def collected(tmp_path_factory: pytest.TempPathFactory) -> TinyLab:
    """The stage, collected by the scripted planner, the oracle and nop."""
    root = tmp_path_factory.mktemp("planning")
    lab = make_planning_lab(root / "lab", root / "cache")
    done = lab.run("collect", "tinyplan", "--runtime", "all", "--plain")
    assert done.returncode == 0, done.stderr
    return lab


def rows(lab: TinyLab) -> list[dict[str, object]]:
    with Store.open(lab.state / "restartlab.db") as store:
        return list(planning_rows(store, "tinyplan"))


def test_the_tensor_is_complete_and_ordered(collected: TinyLab) -> None:
    found = rows(collected)
    keys = [(row["runtime"], row["checkpoint"], row["action"], row["repeat"]) for row in found]
    assert keys == [
        (runtime, task, action, repeat)
        for runtime in ("nop", "oracle", "scripted")
        for task in sorted(TASKS) for action in MESSAGES for repeat in range(1, 5)
    ]  # fmt: skip
    assert {(row["stratum"], row["calls"], row["cost_usd"], row["origin"]) for row in found} == {
        ("tiny", 1, 0.0, "synthetic")
    }
    assert {row["checkpoint"]: row["key"] for row in found} == {
        "planning-tiny-19": "suboptimal", "planning-tiny-6": "infeasible"
    }  # fmt: skip


def test_oracle_and_nop_bound_the_scores(collected: TinyLab) -> None:
    scores = {
        name: {(row["select"], row["evaluate"]) for row in rows(collected) if row["runtime"] == name}
        for name in ("oracle", "nop", "scripted")
    }
    assert scores["oracle"] == {(1.0, 1)}
    assert scores["nop"] == {(0.0, 0)}
    assert all((public == 1) == (strict == 1) and 0 <= public <= 1 for public, strict in scores["scripted"])
    assert len(scores["scripted"]) > 3


def test_malformed_answers_are_protocol_failures(collected: TinyLab) -> None:
    scripted = [row for row in rows(collected) if row["runtime"] == "scripted"]
    counts = Counter(row["provenance"] for row in scripted)
    assert set(counts) == {"native_verifier_observed", "model_protocol_failure"}
    assert all(not row["select"] for row in scripted if row["provenance"] == "model_protocol_failure")
    table = collected.run("export", "tinyplan").stdout
    assert table.count("malformed_answer") == counts["model_protocol_failure"]


def test_an_attempt_is_shown_with_its_answer_and_verdict(collected: TinyLab) -> None:
    listed = collected.run("status", "tinyplan", "--attempts").stdout.splitlines()
    names = ("planning-tiny-6", "oracle", "verify #1")
    (attempt,) = (line.split()[0] for line in listed if all(name in line for name in names))
    shown = collected.run("show", attempt).stdout
    assert "PLAN: " in shown and "verdict: optimal   <== first pass" in shown
    assert "verified at call 1; counted; 1 calls" in shown


def test_trajectories_are_exported(collected: TinyLab, tmp_path: Path) -> None:
    done = collected.run("export", "tinyplan", "--format", "atif", "-o", str(tmp_path / "out"))
    assert done.returncode == 0, done.stderr
    assert len(list((tmp_path / "out").rglob("*.json"))) >= 3 * 24


def test_what_needs_a_workspace_is_refused(collected: TinyLab) -> None:
    done = collected.run("regrade", "tinyplan")
    assert done.returncode == 2
    assert "no workspace states to judge" in done.stderr


@pytest.mark.parametrize("command", ["replay", "audit"])
def test_what_decides_by_calls_names_the_readout(collected: TinyLab, command: str) -> None:
    done = collected.run(command, "tinyplan")
    assert done.returncode == 2
    assert "restartlab readout tinyplan" in done.stderr


def test_the_tensor_and_its_readout(collected: TinyLab, tmp_path: Path) -> None:
    out = tmp_path / "tensor.csv"
    done = collected.run("tensor", "tinyplan", "--out", str(out), "--runtime", "scripted")
    assert done.returncode == 0, done.stderr
    lines = out.read_text().splitlines()
    assert len(lines) == 1 + 2 * 3 * 4
    assert {"select", "evaluate", "provenance", "stratum"} <= set(lines[0].split(","))
    for source in (str(out), "tinyplan"):
        read = collected.run("readout", source, "--runtime", "scripted", "--k", "1", "--json")
        assert read.returncode == 0, read.stderr
        found = json.loads(read.stdout)
        assert (found["checkpoints"], found["actions"], found["repeats"]) == (2, 3, 4)


def test_a_gate_prints_its_document_alone(collected: TinyLab) -> None:
    done = collected.run("gate", *TASKS, "--sandbox", "none", "--json")
    assert done.returncode == 0, done.stderr
    assert [task["qualified"] for task in json.loads(done.stdout)["tasks"]] == [True, True]


def test_killed_collections_resume_to_the_same_outcomes(collected: TinyLab, tmp_path: Path, tiny_cache: Path) -> None:
    lab = make_planning_lab(tmp_path / "lab", tiny_cache)
    with Store.open(lab.state / "restartlab.db") as store:
        with subprocess.Popen(
            lab.command("collect", "tinyplan", "--plain"), env=lab.environment, cwd=lab.root,
            stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
        ) as killed:  # fmt: skip
            ends = time.monotonic() + 240
            while len(store.ended_tries("tinyplan")) < 2 and time.monotonic() < ends:
                time.sleep(0.01)
            killed.send_signal(signal.SIGKILL)
        assert 2 <= len(store.ended_tries("tinyplan")) < 24
    done = lab.run("collect", "tinyplan", "--plain")
    assert done.returncode == 0, done.stderr
    assert rows(lab) == [row for row in rows(collected) if row["runtime"] == "scripted"]


def test_a_stage_whose_checkpoint_is_solved_is_not_collected(tmp_path: Path, tiny_cache: Path) -> None:
    from planning_lab import SIZE, planning_stage

    from tasks.planning.answer import write_plan
    from tasks.planning.generate import Size, generate
    from tasks.planning.optimum import optimum

    best = optimum(generate("tiny", Size.model_validate(SIZE), 6)).plan
    planning = planning_stage()["planning"]
    planning["answers"]["planning-tiny-6"] = write_plan(best)
    lab = make_planning_lab(tmp_path / "lab", tiny_cache, planning=planning)
    done = lab.run("collect", "tinyplan")
    assert done.returncode == 2
    assert "planning.answers.planning-tiny-6: the first answer is optimal already" in done.stderr
    assert not (lab.state / "restartlab.db").exists()
