"""A monitor stage, collected for real: calibration first, thresholds frozen, then the held-out arms."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from jsonschema import Draft202012Validator
from monitor_stage import CALIBRATION, HELD_OUT, monitor_changes
from sqlalchemy import create_engine, text
from tiny_lab import PROJECT, TinyLab, stage_data

from harness.errors import InputError
from harness.exporting.atif import trajectory_lines
from harness.monitors.calibrating import calibration_record
from harness.monitors.catalogue import Spec
from harness.monitors.monitored import monitor_stage_of
from harness.monitors.scoring import scored
from harness.protocol.freeze import FrozenStage, require_frozen
from harness.protocol.load import parse_protocol
from harness.store.records import StoreConflict
from harness.store.store import Store

pytestmark = pytest.mark.needs_bwrap
STAGE = "tinymonitor"


@pytest.fixture
def here(monitored: TinyLab, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[tuple[Store, FrozenStage]]:
    """The store of a copy of the laboratory, and its stage, in this process."""
    lab = monitored.copied(tmp_path / "copy")
    for name in ("RESTARTLAB_STATE", "RESTARTLAB_TASKS", "RESTARTLAB_PROTOCOLS", "XDG_CACHE_HOME"):
        monkeypatch.setenv(name, lab.environment[name])
    with Store.open(lab.state / "restartlab.db", create=False) as store:
        yield store, require_frozen(STAGE)


def recorded(store: Store) -> Iterator[tuple[Any, list[dict[str, Any]]]]:
    for attempt, facts in store.ended_tries(STAGE):
        yield attempt, list(trajectory_lines(facts))


def test_nobody_acts_on_calibration_tasks_and_held_out_ones_have_every_arm(here: tuple[Store, FrozenStage]) -> None:
    attempts = here[0].attempts(STAGE)
    arms = {task: sorted({one.arm for one in attempts if one.task == task}) for task in (*CALIBRATION, *HELD_OUT)}
    assert all(arms[task] == ["continuation"] for task in CALIBRATION)
    assert arms["tiny-3"] == ["continuation", "fixed-time", "monitor"]
    assert len(attempts) == 2 * 4 + 3 * 4


def test_thresholds_stand_in_the_ledger_before_any_held_out_try(here: tuple[Store, FrozenStage]) -> None:
    store, stage = here
    record = store.thresholds(STAGE, stage.digest, "scripted")
    assert record is not None
    engine = create_engine(f"sqlite:///{store._engine.url.database}")
    with engine.connect() as connection:
        rows = connection.execute(text("SELECT seq, payload FROM ledger WHERE kind = 'try_started' ORDER BY seq")).all()
        tasks = {row.id: row.task for row in connection.execute(text("SELECT id, task FROM attempts"))}
    started = [(seq, tasks[json.loads(payload)["rows"][0]["attempt_id"]]) for seq, payload in rows]
    assert {task for seq, task in started if seq < record["ledger_seq"]} == set(CALIBRATION)
    assert {task for seq, task in started if seq > record["ledger_seq"]} == set(HELD_OUT)
    report, fault = store.verify_ledger()
    assert (report.fault, fault) == (None, None)


def test_the_threshold_never_reads_held_out_outcomes(here: tuple[Store, FrozenStage]) -> None:
    """Swapping every held-out outcome leaves the record as it is; swapping calibration outcomes does not."""
    store, stage = here
    frozen = store.thresholds(STAGE, stage.digest, "scripted")
    assert frozen is not None
    before = calibration_record(store, stage, "scripted")
    assert before == {key: value for key, value in frozen.items() if key not in ("frozen_at", "ledger_seq")}
    _swap(store, HELD_OUT)
    assert calibration_record(store, stage, "scripted") == before
    _swap(store, CALIBRATION)
    assert calibration_record(store, stage, "scripted") != before


def _swap(store: Store, tasks: list[str]) -> None:
    """Passes become censored attempts, and others pass at their last call but one."""
    engine = create_engine(f"sqlite:///{store._engine.url.database}")
    names = ", ".join(f"'{task}'" for task in tasks)
    which = f"attempt_id IN (SELECT id FROM attempts WHERE task IN ({names}))"
    with engine.begin() as connection:
        changed = connection.execute(text(
            f"UPDATE tries SET event = CASE event WHEN 'verified' THEN 'censored' ELSE 'verified' END, "
            f"call = CASE event WHEN 'verified' THEN 12 ELSE 5 END, calls = 12, action = 0 WHERE {which}"
        ))  # fmt: skip
        assert changed.rowcount > 0


def test_thresholds_are_frozen_once_and_never_after_a_held_out_try(here: tuple[Store, FrozenStage]) -> None:
    store, stage = here
    with pytest.raises(StoreConflict, match="are frozen already"):
        store.freeze_thresholds(STAGE, stage.digest, "scripted", {}, HELD_OUT)
    engine = create_engine(f"sqlite:///{store._engine.url.database}")
    with engine.begin() as connection:
        connection.execute(text("UPDATE attempts SET runtime = 'other'"))
    with pytest.raises(StoreConflict, match="tiny-3 of tinymonitor is held out, and was tried before"):
        store.freeze_thresholds(STAGE, stage.digest, "other", {}, HELD_OUT)
    assert store.thresholds(STAGE, stage.digest, "other") is None


def test_arms_acted_once_at_the_frozen_thresholds_and_scores_online_are_those_offline(
    here: tuple[Store, FrozenStage],
) -> None:
    store, stage = here
    record = store.thresholds(STAGE, stage.digest, "scripted")
    assert record is not None
    specs = {"fixed-time": Spec("fixed-time", {}), "monitor": Spec("repeated-command", {"window": 8})}
    acted = 0
    for attempt, lines in recorded(store):
        readings = [line for line in lines if line["type"] == "reading"]
        actions = [line for line in lines if line["type"] == "intervention"]
        if attempt.arm == "continuation":
            assert (readings, actions) == ([], [])
            continue
        threshold = record["thresholds"][attempt.arm]
        assert threshold is not None, "the laboratory's law makes every arm worth something"
        alarms = [line["after"] for line in readings if line["score"] >= threshold]
        assert [line["call"] for line in actions] == alarms[:1]
        assert all(line["after"] <= (alarms or [99])[0] for line in readings)  # one action, then it rests
        offline = {one.call: one.score for one in scored(specs[attempt.arm], lines, "it")}
        assert {line["after"]: line["score"] for line in readings}.items() <= offline.items()
        acted += len(actions)
    assert acted


def test_the_study_is_one_document_and_fits_its_schema(monitored: TinyLab) -> None:
    done = monitored.run("monitor", STAGE, "--replicates", "100", "--json")
    assert done.returncode == 0, done.stderr
    document = json.loads(done.stdout)
    schema = json.loads((PROJECT / "docs" / "schemas" / "monitor.json").read_text(encoding="utf-8"))
    Draft202012Validator(schema).validate(document)
    (found,) = document["runtimes"]
    assert [group["tasks"] for group in found["tasks"]] == [CALIBRATION, HELD_OUT]
    assert [row["arm"] for row in found["success"]["arms"]] == ["continuation", "fixed-time", "monitor"]
    assert (found["origin"], found["refused"], found["unfinished"]) == ("synthetic", None, 0)
    table = dict(zip(("arm", "agent", "monitor"), zip(*[
        (row["arm"], row["agent_calls"], row["monitor_calls"]) for row in found["cost"]
    ], strict=True), strict=True))  # fmt: skip
    assert table["monitor"] == (0.0, 0.0, 0.0)  # it asks nobody
    assert "gain promised by calibration" in monitored.run("monitor", STAGE).stdout


def test_the_report_has_the_test_and_its_figure(monitored: TinyLab, tmp_path: Path) -> None:
    pytest.importorskip("matplotlib")
    done = monitored.run("report", STAGE, "-o", str(tmp_path / "report"))
    assert done.returncode == 0, done.stderr
    page = (tmp_path / "report" / "report.md").read_text(encoding="utf-8")
    parts = ("Opportunity", "Calibration", "Discrimination", "Action-value regret", "Success", "Cost")
    assert "## Monitors" in page and all(f"**{part}, {STAGE}, scripted" in page for part in parts)
    assert (tmp_path / "report" / "figures" / f"monitors-1-{STAGE}.svg").exists()
    document = json.loads((tmp_path / "report" / "report.json").read_text(encoding="utf-8"))
    assert [one["stage"] for one in document["monitors"]] == [STAGE]
    assert {row["arm"] for audit in document["audits"] for row in audit["comparisons"]} == {"continuation"}


def test_exported_trajectories_say_the_same_as_the_store(monitored: TinyLab, tmp_path: Path) -> None:
    table, folder = str(tmp_path / "events.csv"), str(tmp_path / "trajectories")
    assert monitored.run("export", STAGE, "-o", table).returncode == 0
    assert monitored.run("export", STAGE, "--format", "atif", "-o", folder).returncode == 0
    words = ("--threshold", "2", "--budget", "12", "--times", "4,8", "--replicates", "100")
    for which in ("unchanged", "repeated-command", "format-errors", "fixed-time"):
        one = monitored.run("monitor", STAGE, "--monitor", which, *words, "--json")
        other = monitored.run(
            "monitor", "--monitor", which, "--events", table, "--trajectories", folder, *words, "--json"
        )  # fmt: skip
        assert (one.returncode, other.returncode) == (0, 0), one.stderr + other.stderr
        assert json.loads(one.stdout) == json.loads(other.stdout)


def test_scores_go_to_value(monitored: TinyLab, tmp_path: Path) -> None:
    """The scores that are written are a table of alarms, of the same worth."""
    file = str(tmp_path / "scores.csv")
    words = (STAGE, "--budget", "12", "--times", "4,8", "--threshold", "2", "--replicates", "100", "--json")
    mine = monitored.run("monitor", "--monitor", "unchanged", "--arm", "continuation", "--scores", file, *words)
    theirs = monitored.run("value", "--alarms", file, *words)
    assert (mine.returncode, theirs.returncode) == (0, 0), mine.stderr + theirs.stderr
    rows = [row for row in json.loads(theirs.stdout)["rows"] if row["arm"] == "continuation"]
    for one, other in zip(json.loads(mine.stdout)["cohorts"][0]["times"], rows, strict=True):
        assert {name: other[name] for name in one if name in other} == {
            name: value for name, value in one.items() if name in other
        }


def test_held_out_attempts_wait_for_calibration(monitored: TinyLab, tmp_path: Path) -> None:
    lab = TinyLab(monitored.root, monitored.environment | {"RESTARTLAB_STATE": str(tmp_path / "state")})
    done = lab.run("collect", STAGE, "--task", "tiny-3")
    assert "held-out attempts of runtime scripted wait: 8 calibration attempts" in done.stdout
    assert f"{STAGE}: 0 attempts finished in this run." in done.stdout
    shown = lab.run("monitor", STAGE)
    assert (shown.returncode, "no try has ended" in shown.stderr) == (2, True)
    assert lab.run("collect", STAGE, "--limit", "9").returncode == 0
    done = lab.run("monitor", STAGE, "--json")
    assert done.returncode == 1 and "not complete: scripted" in done.stderr
    (found,) = json.loads(done.stdout)["runtimes"]
    assert found["unfinished"] == 11
    assert found["frozen"] and found["refused"] == "held-out attempts are not finished in every arm"


@pytest.mark.parametrize(
    ("changes", "key"),
    [
        ({"calibration": ["tiny-1", "tiny-2", "tiny-3"]}, "monitor.calibration"),
        ({"calibration": ["tiny-1", "tiny-1"]}, "monitor.calibration"),
        ({"calibration": ["tiny-9"]}, "monitor.calibration"),
        ({"monitor": "unchangd"}, "monitor.monitor"),
        ({"action": {"name": "go", "workspace": "keep", "context": "keep"}}, "monitor.action"),
    ],
)
def test_overlap_and_other_mistakes_are_refused(monitored: TinyLab, changes: dict[str, Any], key: str) -> None:
    data = stage_data("wrong", **monitor_changes(**changes))
    with pytest.raises(InputError) as refused:
        parse_protocol(data, Path("wrong.yaml"))
    assert refused.value.key == key


def test_a_stage_without_the_section_is_refused() -> None:
    changes = monitor_changes()
    for wrong in ({**changes, "kind": "collect"}, {k: v for k, v in changes.items() if k != "monitor"}):
        with pytest.raises(InputError) as refused:
            parse_protocol(stage_data("wrong", **wrong), Path("wrong.yaml"))
        assert refused.value.key == "monitor"


def test_a_stage_of_another_kind_needs_a_monitor_named(tmp_path: Path) -> None:
    with Store.open(tmp_path / "new.db") as store:
        store.register_stage("plain", "0" * 64, {"protocol": {"stage": "plain", "kind": "collect"}})
        for stage in ("plain", "nowhere"):
            with pytest.raises(InputError, match=f"{stage} is no monitor stage") as refused:
                monitor_stage_of(store, stage)
            assert refused.value.mend == "give --monitor NAME"
