"""A checkpoint stage from frozen states to its tensor, on the tiny laboratory: real sandboxes, real verdicts."""

from __future__ import annotations

import csv
import json
import sqlite3
from dataclasses import replace
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest
from checkpoint_stage import write_stages
from jsonschema import Draft202012Validator
from tiny_lab import PROJECT, TinyLab, make_lab

from harness.canonical import canonical_json
from harness.layer_store import LayerStore
from harness.recorder import read_trajectory
from harness.store.blobs import Blobs
from harness.store.checkpoints import split_arm
from harness.store.store import Store
from harness.workspace.layer import Layer
from harness.workspace.manifest import Entry, to_data

pytestmark = pytest.mark.needs_bwrap

STATES, DRAWS, ACTIONS = 2, 2, 3


@pytest.fixture(scope="module")
def collected(tmp_path_factory: pytest.TempPathFactory, sandbox_problem: str) -> TinyLab:
    """A laboratory with a collected source, whose checkpoints are frozen, and with the first half of the episodes."""
    if sandbox_problem:
        pytest.skip(f"no sandbox here: {sandbox_problem}")
    root = tmp_path_factory.mktemp("checks")
    lab = make_lab(root / "lab", root / "cache")
    write_stages(lab)
    refused = lab.run("checkpoint", "tinychecks")
    assert refused.returncode == 2 and "restartlab collect tiny" in refused.stderr
    for command in (("collect", "tiny"), ("collect", "tinychecks", "--limit", "6")):
        done = lab.run(*command)
        assert done.returncode in (0, 1), done.stderr
    return lab


def finished(lab: TinyLab, folder: Path) -> TinyLab:
    """A copy in which every episode is there."""
    copy = lab.copied(folder)
    done = copy.run("collect", "tinychecks")
    assert done.returncode == 0, done.stderr
    return copy


@pytest.fixture(scope="module")
def complete(collected: TinyLab, tmp_path_factory: pytest.TempPathFactory) -> TinyLab:
    return finished(collected, tmp_path_factory.mktemp("complete") / "lab")


def store_of(lab: TinyLab) -> Store:
    return Store.open(lab.state / "restartlab.db", create=False)


def document(lab: TinyLab, command: str, *arguments: str) -> dict[str, Any]:
    """What a command prints with --json; it fits its schema."""
    done = lab.run(command, "tinychecks", *arguments, "--json")
    assert done.returncode == 0, done.stderr
    found: dict[str, Any] = json.loads(done.stdout)
    schema = json.loads((PROJECT / "docs" / "schemas" / f"{command}.json").read_text())
    assert [error.message for error in Draft202012Validator(schema).iter_errors(found)] == []
    assert not Draft202012Validator(schema).is_valid({**found, "surplus": 1})
    return found


def listed(lab: TinyLab, *more: str) -> dict[str, Any]:
    (only,) = document(lab, "checkpoint", *more)["sets"]
    found: dict[str, Any] = only
    return found


def test_states_are_frozen_once_and_come_back(collected: TinyLab) -> None:
    first, again = listed(collected), listed(collected, "--verify")
    assert len(first["checkpoints"]) == STATES
    assert [one["id"] for one in again["checkpoints"]] == [one["id"] for one in first["checkpoints"]]
    assert all(one["problem"] is None for one in again["checkpoints"])
    for one in first["checkpoints"]:
        assert one["provenance"]["event"] != "verified" and one["call"] == one["provenance"]["event_call"]
        assert one["provenance"]["scratch_kept"]


def test_a_tensor_with_holes_is_refused_and_names_them(collected: TinyLab, tmp_path: Path) -> None:
    done = collected.run("tensor", "tinychecks", "--out", str(tmp_path / "t.csv"))
    assert done.returncode == 1
    assert "6 holes of 12 episodes" in done.stderr and "repeat 2" in done.stderr
    assert "restartlab collect tinychecks" in done.stderr
    assert not (tmp_path / "t.csv").exists()
    for command in (("audit", "tinychecks"), ("value", "tinychecks"), ("readout", "tinychecks")):
        assert "holes" in collected.run(*command).stderr


def test_a_resumed_stage_is_complete_and_its_attempts_are_the_planned_ones(complete: TinyLab, tmp_path: Path) -> None:
    names = [one["name"] for one in listed(complete)["checkpoints"]]
    out = tmp_path / "t.csv"
    assert document(complete, "tensor", "--out", str(out))["shape"] == [STATES, ACTIONS, DRAWS]
    rows = list(csv.DictReader(out.open()))
    assert len(rows) == STATES * ACTIONS * DRAWS
    assert [row["checkpoint"] for row in rows[:: ACTIONS * DRAWS]] == names
    with store_of(complete) as store:
        events = {(one.arm, one.repeat): one for one in store.event_rows("tinychecks") if one.valid}
        assert store.verify_ledger()[1] is None
    for row in rows:
        event = events[f"{row['action']}@{row['checkpoint']}", int(row["repeat"])]
        assert (row["select"] == "1") == (event.event == "verified")
        failed = event.reason == "repeated_format_error"
        assert row["provenance"] == ("model_protocol_failure" if failed else "native_verifier_observed")
    again = complete.run("collect", "tinychecks")
    assert again.returncode == 0 and "12 of 12" in again.stdout + complete.run("status", "tinychecks").stdout


def test_each_episode_begins_as_its_action_says(complete: TinyLab) -> None:
    blobs = Blobs(complete.state / "blobs")
    with store_of(complete) as store:
        record = store.stage("tinychecks")
        assert record is not None
        chosen = store.checkpoints("tinychecks", record.digest, "scripted")
        assert chosen is not None
        states = {one.name: one for one in chosen.checkpoints}
        tries = list(store.recorded_tries("tinychecks"))
    assert len(tries) == STATES * ACTIONS * DRAWS
    for one in tries:
        action, name = split_arm(one.attempt.arm)
        state = states[name]
        lines = list(read_trajectory(blobs.get(one.trajectory or "")))
        assert (lines[0]["checkpoint"], lines[0]["action"]) == (state.id, action)
        assert one.attempt.horizon == min(8, 12 - state.call)
        first = next(i for i, line in enumerate(lines) if line["type"] == "call")
        said = [line["message"] for line in lines[:first] if line["type"] == "message"]
        anew = [i for i, line in enumerate(lines[:first]) if line["type"] == "context"]
        if action == "restart":
            assert [message["role"] for message in said] == ["system", "user"] and not anew
            continue
        said = [line["message"] for line in lines[anew[0] : first] if line["type"] == "message"]
        if action == "rejuvenate":
            assert [message["role"] for message in said] == ["system", "user", "user"]
            assert "git status" in said[-1]["content"]
        else:
            kept = json.loads(blobs.get(state.messages or ""))
            assert said[: len(kept)] == kept
            # Whatever was cut off is answered, so that a provider takes the conversation.
            assert all(message["role"] == "tool" for message in said[len(kept) :])


def test_a_kept_workspace_is_the_captured_one_and_a_reset_one_the_base(complete: TinyLab, tmp_path: Path) -> None:
    lab = complete.copied(tmp_path / "lab")
    done = lab.run("collect", "tinychecks", "--runtime", "nop")
    assert done.returncode == 0, done.stderr
    blobs, store = Blobs(lab.state / "blobs"), LayerStore(Blobs(lab.state / "blobs"))
    with store_of(lab) as opened:
        record = opened.stage("tinychecks")
        assert record is not None
        chosen = opened.checkpoints("tinychecks", record.digest, "nop")
        assert chosen is not None
        tries = list(opened.recorded_tries("tinychecks", runtimes=["nop"]))
    assert len(tries) == STATES * ACTIONS * DRAWS
    layers = {one.name: store.layer(one.layer) for one in chosen.checkpoints}
    for one in tries:
        action, name = split_arm(one.attempt.arm)
        kept = Layer({}) if action == "restart" else layers[name]
        assert one.steps[0].verdict_key == kept.verdict_key
        lines = read_trajectory(blobs.get(one.trajectory or ""))
        looked = next(line for line in lines if line["type"] == "action" and line["command"] == "git status --short")
        assert bool(looked["output"]) == bool(kept.candidate.manifest)


def poisoned(lab: TinyLab, entry: Entry) -> str:
    """Puts a poisoned layer under the first checkpoint in the database, all digests fitting; its name."""
    blobs = Blobs(lab.state / "blobs")
    layer = blobs.put(canonical_json(to_data({"trap": entry})))
    database = lab.state / "restartlab.db"
    with store_of(lab) as store:
        record = store.stage("tinychecks")
        assert record is not None
        chosen = store.checkpoints("tinychecks", record.digest, "scripted")
        assert chosen is not None
        one = chosen.checkpoints[0]
    bad = replace(one, layer=layer)
    with sqlite3.connect(database) as connection:
        connection.execute(
            "UPDATE checkpoints SET state = ?, id = ? WHERE id = ?", (json.dumps(bad.state), bad.id, one.id)
        )
    return bad.name


@pytest.mark.parametrize(
    "entry, said",
    [
        (Entry("symlink", target="/etc/shadow"), "absolute"),
        (Entry("symlink", target="../../etc"), "may leave the workspace"),
        (Entry("device", 0o666), "is a device"),
    ],
)
def test_a_poisoned_checkpoint_is_refused_and_the_others_go_on(
    collected: TinyLab, tmp_path: Path, entry: Entry, said: str
) -> None:
    lab = collected.copied(tmp_path / "lab")
    name = poisoned(lab, entry)
    checked = lab.run("checkpoint", "tinychecks", "--verify", "--json")
    assert checked.returncode == 1
    problems = {one["name"]: one["problem"] for one in json.loads(checked.stdout)["sets"][0]["checkpoints"]}
    assert said in problems[name]
    assert [problem for bad, problem in problems.items() if bad != name] == [None] * (STATES - 1)
    if entry.kind != "device":
        return
    done = lab.run("collect", "tinychecks", "--limit", "6")
    assert "checkpoint_refused" in done.stdout
    with store_of(lab) as store:
        ended = [(attempt, facts) for attempt, facts in store.ended_tries("tinychecks")]
    mine = [facts for attempt, facts in ended if attempt.arm.endswith(name)]
    assert {facts["exclusion"] for facts in mine if facts["exclusion"]} == {"checkpoint_refused"}
    # A restart takes nothing from the state.
    assert all(facts["valid"] for attempt, facts in ended if attempt.arm == f"restart@{name}")
    assert not list((lab.state / "work").glob("*/*/upper"))


def test_the_report_has_a_part_on_checkpoints(complete: TinyLab, tmp_path: Path) -> None:
    pytest.importorskip("matplotlib")
    done = complete.run("report", "tiny", "tinychecks", "-o", str(tmp_path / "report"))
    assert done.returncode == 0, done.stderr
    page = json.loads((tmp_path / "report" / "report.json").read_text())
    (part,) = page["checkpoints"]
    assert part["refused"] is None and len(part["audit"]["decisions"]) == STATES
    assert sum(row["episodes"] for row in part["panels"][0]["actions"]) == STATES * ACTIONS * DRAWS
    assert {one["stage"] for one in page["cohorts"]} == {"tiny"}, "episodes are no fresh attempts"
    assert (tmp_path / "report" / "figures" / "checkpoints-1-tinychecks.svg").exists()


def test_a_report_of_checkpoints_alone_has_no_empty_parts(complete: TinyLab, tmp_path: Path) -> None:
    pytest.importorskip("matplotlib")
    done = complete.run("report", "tinychecks", "-o", str(tmp_path / "report"))
    assert done.returncode == 0, done.stderr
    lines = (tmp_path / "report" / "report.md").read_text().splitlines()
    parts = [line for line in lines if line.startswith("## ")]
    assert "## Checkpoints" in parts and "## Restart policies" not in parts
    bare = [a for a, b in pairwise([*lines, ""]) if a.startswith("| :--") and not b.startswith("|")]
    assert bare == [], "a table without rows"
    assert [line for line in lines if line.startswith("| :--")]


def test_audit_and_value_of_the_stage(complete: TinyLab, tmp_path: Path) -> None:
    found = document(complete, "audit")
    assert (found["plan"], found["method"], found["family"], found["design"]) == (
        "protocol", "fisher", STATES, "independent",
    )  # fmt: skip
    other = document(complete, "audit", "--method", "betting")
    assert (other["plan"], other["design"]) == ("exploratory", "pairs")
    assert complete.run("audit", "tinychecks", "--budget", "8").returncode == 2
    features = tmp_path / "features.csv"
    names = [row["checkpoint"] for row in found["decisions"]]
    features.write_text("checkpoint,mine\n" + "".join(f"{name},{i % 2}\n" for i, name in enumerate(names)))
    rows = {row["name"]: row for row in document(complete, "value", "--features", str(features))["rows"]}
    assert {"nothing", "task", "status", "progress", "mine", "state"} <= set(rows)
    assert rows["mine"]["classes"] == 2
    assert rows["state"]["lost"]["value"] == 0
    values = {name: row["value"]["value"] for name, row in rows.items()}
    assert rows["nothing"]["lost"]["value"] == pytest.approx(values["state"] - values["nothing"])
