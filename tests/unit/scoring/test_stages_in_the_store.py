"""A stage of recovery tasks in the database: scored, exported, corrected, scored again."""

from __future__ import annotations

import hashlib
import json
from pathlib import Path
from typing import Any

import made_trials as made
import pytest
import yaml
from typer.testing import CliRunner, Result

from harness.cli.app import app
from harness.errors import RestartlabError
from harness.store.controller import Controller
from harness.store.records import Attempt, TryResult
from harness.store.store import Store

DIGEST = "d" * 64


def name(task: str, trial: int) -> str:
    return hashlib.sha256(f"{task} {trial}".encode()).hexdigest()


@pytest.fixture
def database(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Two tasks x two trials of one system; one try was lost first."""
    monkeypatch.setenv("RESTARTLAB_STATE", str(tmp_path / "state"))
    path = tmp_path / "facts.db"
    with Store.open(path) as store:
        store.register_stage("mended", DIGEST, {"protocol": {"stage": "mended"}})
        planned = [
            Attempt(name(task, trial), "mended", DIGEST, task, "a", "baseline", trial, 9, "collected")
            for task in ("task_00", "task_01")
            for trial in (1, 2)
        ]
        store.plan(planned)
        controller = Controller("c", 1, "host", "boot", "pid:[1]", 1)
        store.exclude_try(store.start_try(planned[0].id, controller, {}), "provider_outage", calls=1)
        for attempt in planned:
            record = made.record(attempt.task, "a", attempt.repeat)
            if attempt.repeat == 2:
                record = made.failure(attempt.task, "a", 2)
            result = TryResult("censored", 9, 9, 12.5, reason="horizon", cost_usd=0.5, outcome={"recovery": record})
            store.finish_try(store.start_try(attempt.id, controller, {"revision": "abc"}), result)
    return path


def run(*words: object) -> Result:
    return CliRunner().invoke(app, [str(word) for word in words])


def test_a_stage_is_scored_and_a_correction_changes_it(tmp_path: Path, database: Path) -> None:
    tasks = [{"task": task, "family": made.family_of(task)} for task in ("task_00", "task_01")]
    panel = made.write_panel(tmp_path / "p.yaml", made.panel_data(tasks=tasks, calibration=[], mix=None, trials=2))
    words = ("score", "mended", "--panel", panel, "--database", database, "--json")

    def score() -> dict[str, Any]:
        done = run(*words)
        assert done.exception is None, done.output
        found: dict[str, Any] = json.loads(done.stdout)
        return found

    before = score()
    assert (before["trials"], before["excluded"], before["reliability"]) == (4, 1, 50)
    assert before["tasks"][0]["excluded"] == {"provider_outage": 1}
    key, bundle = tmp_path / "key", tmp_path / "b.jsonl"
    assert run("evidence", "keygen", key).exception is None
    assert run("evidence", "export", "mended", "--key", key, "-o", bundle, "--database", database).exception is None
    report = json.loads(run("evidence", "verify", bundle, "--json").stdout)
    assert report["intact"] and report["records"]["trial"] == 5, report["faults"]
    assert json.loads(run("score", bundle, "--panel", panel, "--json").stdout) == before
    passed = next(
        line.split("\t")[2] for line in run("evidence", "show", bundle).stdout.splitlines() if "\ttrial\t" in line
        and '"strict_pass": true' in run("evidence", "show", bundle, line.split("\t")[2]).stdout
    )  # fmt: skip
    correction = {
        "tasks": ["task_00", "task_01"], "entries": ["a"], "reason": "the probe was too narrow", "by": "R. Viewer",
        "rescoring": "possible", "changes": [{"record": passed, "field": "dimensions.S", "new": 0.5}],
        "evidence": [passed],
    }  # fmt: skip
    file = tmp_path / "c.yaml"
    file.write_text(yaml.safe_dump(correction), encoding="utf-8")
    assert run("evidence", "correct", "mended", file, "--database", database).exception is None
    assert score()["quality"] == before["quality"] - 2.5
    with Store.open(database) as store:
        assert store.verify_ledger()[0].fault is None
    rerun = {**correction, "rescoring": "rerun_required", "changes": [], "evidence": [], "records": [passed]}
    file.write_text(yaml.safe_dump(rerun), encoding="utf-8")
    assert run("evidence", "correct", "mended", file, "--database", database).exception is None
    assert score()["trials"] == 3
    assert json.loads(run("score", bundle, "--panel", panel, "--json").stdout) == before


def test_a_stage_without_recovery_attempts_is_refused(database: Path) -> None:
    with Store.open(database) as store:
        store.register_stage("plain", "e" * 64, {})
    for stage, said in (("plain", "holds no trial"), ("none", "nothing of stage")):
        done = run("score", stage, "--database", database)
        assert isinstance(done.exception, RestartlabError) and said in str(done.exception)
