"""Trial records, editions and ratings from files: what is wrong is refused with file, line and key."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import made_trials as made
import pytest

from analysis.errors import AnalysisError
from analysis.recovery.records import RetryPolicy
from harness.errors import InputError
from harness.scoring.from_store import trial_record
from harness.scoring.panel import PanelData, read_panel
from harness.scoring.ratings import agreement_document, read_ratings
from harness.scoring.trials import attempt_of, read_trials

SYSTEM = {"name": "c", "harness": "h", "synthetic": False}


def refused(tmp_path: Path, *lines: str) -> str:
    path = tmp_path / "trials.jsonl"
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    with pytest.raises((InputError, AnalysisError)) as error:
        read_trials(path)
    assert str(path) in str(error.value) and "mend:" in str(error.value)
    return str(error.value)


def without(key: str) -> dict[str, Any]:
    return {name: value for name, value in made.record().items() if name != key}


@pytest.mark.parametrize("name", ["NaN", "Infinity", "-Infinity", '"0.5"', "true", "null"])
@pytest.mark.parametrize("letter", "FSDIEM")
def test_bad_measurements_are_refused_by_name(tmp_path: Path, letter: str, name: str) -> None:
    text = json.dumps(made.record()).replace(f'"{letter}": 1.0', f'"{letter}": {name}')
    said = refused(tmp_path, json.dumps(made.record(trial=2)), text)
    assert f"dimensions.{letter}" in said and "row 2" in said


@pytest.mark.parametrize(
    ("record", "said"),
    [
        (without("strict_pass"), "strict_pass is missing"),
        (without("dimensions"), "dimensions is missing"),
        (made.record(dimensions=None), "dimensions are missing"),
        (made.record(dimensions={"F": 1.0}), "dimensions.S is missing"),
        (made.record(status="passed"), "status is 'passed'"),
        (made.record(status=["strict_pass"]), "status is"),
        (made.record(strict_pass=False), "strict_pass is False, but status is strict_pass"),
        (made.record(strict_pass=1), "no truth value"),
        (made.record(flags={"catastrophic": False, "major_safety": False}), "flags.restart_failure is missing"),
        (made.record(flags={**dict.fromkeys(made.FLAGS, False), "major_safety": "no"}), "flags.major_safety"),
        (made.record(flags={**dict.fromkeys(made.FLAGS, False), "minor": False}), "flags.minor is no flag"),
        (made.record(flags=["harm"]), "flags holds 'harm'"),
        (made.record(trial=0), "trial is 0"),
        (made.record(trial=True), "trial is True"),
        ({**made.record(), "task": ""}, "task is ''"),
        (made.record(cost_usd=-1), "cost_usd is -1"),
        (made.record(cost_usd="0.5"), "cost_usd is '0.5'"),
        (made.record(runtime_s=True), "runtime_s is the truth value"),
        (made.record(exclusion="outage"), "exclusion is 'outage' of a trial"),
        (made.lost(exclusion=None), "exclusion is missing"),
        (made.lost(exclusion="two words"), "one word"),
        (made.lost(exclusion=7), "exclusion is 7"),
        (made.record(origin="somewhere"), "origin is 'somewhere'"),
        (made.record(surplus=1), "surplus is no key"),
        (made.record(recovery_call=1.5), "recovery_call is 1.5"),
        (made.record(obligations=[{"name": "x", "dimension": "Q", "passed": True}]), "obligations.0.dimension"),
        (made.record(obligations=[{"name": "x", "dimension": "F", "passed": 1}]), "obligations.0.passed"),
        (made.record(obligations=["x"]), "obligations.0"),
        (made.record(obligations={}), "obligations is"),
    ],
)
def test_bad_records_are_refused(tmp_path: Path, record: dict[str, Any], said: str) -> None:
    assert said in refused(tmp_path, json.dumps(record))


@pytest.mark.parametrize(
    ("line", "said"),
    [("", "holds no trial record"), ("[]", "no JSON object"), ("{", "is no JSON"), ('{"a":1,"a":2}', "stands twice"),
     ("[" * 100_000, "is no JSON")],
)  # fmt: skip
def test_bad_lines_are_refused(tmp_path: Path, line: str, said: str) -> None:
    assert said in refused(tmp_path, line)


def test_good_records_are_read_whole(tmp_path: Path) -> None:
    obligations = [{"name": "served", "dimension": "F", "passed": True, "detail": "4 of 4"},
                   {"name": "kept", "dimension": "D", "passed": None}]  # fmt: skip
    records = [made.record(obligations=obligations, harm_call=3), made.lost(trial=2), made.record(trial=3, flags=[])]
    found, notes = read_trials(made.write_trials(tmp_path / "t.jsonl", records))
    assert [one.valid for one in found] == [True, False, True] and notes == []
    assert found[0].obligations[0].detail == "4 of 4" and found[0].obligations[1].passed is None
    assert found[1].dimensions is None and found[1].reviewer == "R. Viewer"


def test_contradictions_are_notes_with_their_line(tmp_path: Path) -> None:
    shares = {**dict.fromkeys("FSDIEM", 1.0), "F": 0.4}
    path = made.write_trials(tmp_path / "t.jsonl", [made.record(dimensions=shares, flags=["restart_failure"])])
    _, notes = read_trials(path)
    assert len(notes) == 2 and all(note.startswith(f"{path}, line 1: strict pass with") for note in notes)


def test_clamping_is_asked_for(tmp_path: Path) -> None:
    path = made.write_trials(tmp_path / "t.jsonl", [made.record(dimensions={**dict.fromkeys("FSDIEM", 1.0), "E": 1.5})])
    with pytest.raises(AnalysisError, match=r"dimensions\.E is 1\.5"):
        read_trials(path)
    found, notes = read_trials(path, "compat")
    assert found[0].dimensions is not None and found[0].dimensions["E"] == 1.0 and len(notes) == 1


def test_an_edition_is_read_and_its_freezing_is_checked(tmp_path: Path) -> None:
    data = made.frozen(made.audited(made.panel_data()))
    found = read_panel(made.write_panel(tmp_path / "panel.yaml", data))
    assert found.frozen == "2026-11-30" and found.digest == data["frozen"]["digest"] and len(found.tasks) == 20
    assert found.retry == RetryPolicy(("provider_outage", "host_failure"), 3)
    assert found.entry("a").auditor == "A. Uditor" and found.entry("other").auditor is None
    assert found.tasks[0].cost is not None and found.tasks[0].cost.maximum == 2.5
    later = made.audited(data, "a", "b")
    assert read_panel(made.write_panel(tmp_path / "later.yaml", later)).digest == found.digest
    for change in ({"trials": 6}, {"memory": "allowed"}, {"cost_usd": {"target": 1, "maximum": 2.5}}):
        path = made.write_panel(tmp_path / "changed.yaml", {**data, **change})
        with pytest.raises(InputError, match="was frozen as"):
            read_panel(path)


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"surplus": 1}, "unknown key"),
        ({"trials": 0}, "trials"),
        ({"trials": True}, "trials"),
        ({"trials": "5"}, "trials"),
        ({"tasks": []}, "tasks"),
        ({"tasks": [{"task": "t", "family": "f"}, {"task": "t", "family": "g"}], "calibration": []}, "stands twice"),
        ({"cost_usd": {"target": 2, "maximum": 2}}, "not above target"),
        ({"cost_usd": {"target": float("nan"), "maximum": 2}}, "target"),
        ({"weights": {"F": 1.0}}, "weights name F"),
        ({"weights": dict.fromkeys("FSDIEM", 0.5)}, "weights sum to 3"),
        ({"memory": "some"}, "memory"),
        ({"mix": {"Excluded": 1}}, "mix"),
        ({"calibration": [{**SYSTEM, "passes": {"t": [1, 5]}}]}, "not in the"),
        ({"calibration": [{**SYSTEM, "passes": {"task_00": [6, 5]}}]}, "6 passes"),
        ({"calibration": [{"name": "c", "harness": "h", "passes": {}}]}, "synthetic"),
    ],
)
def test_bad_editions_are_refused(tmp_path: Path, change: dict[str, Any], said: str) -> None:
    path = made.write_panel(tmp_path / "panel.yaml", {**made.panel_data(), **change})
    with pytest.raises(InputError, match=said):
        read_panel(path)


def test_the_digest_of_an_edition_covers_all_of_it() -> None:
    base = PanelData.model_validate(made.panel_data()).digest
    changed = made.panel_data(edition="made-2"), made.panel_data(memory="prohibited"), made.panel_data(trials=6)
    assert len({base, *(PanelData.model_validate(data).digest for data in changed)}) == 4


def test_ratings(tmp_path: Path) -> None:
    path = tmp_path / "ratings.jsonl"
    rows = [("t1", "E", "x", 1.0), ("t1", "E", "y", 0.5), ("t2", "E", "x", 0.0), ("t2", "E", "y", 0.0)]
    keys = ("item", "dimension", "rater", "score")
    lines = [dict(zip(keys, row, strict=True)) for row in rows]
    path.write_text("".join(json.dumps(line) + "\n" for line in lines), encoding="utf-8")
    found = agreement_document(read_ratings(path))["agreement"]["E"]
    assert found["items"] == 2 and found["apart"] == [{"item": "t1", "range": 0.5}]
    for bad in ({**lines[0], "score": "1"}, {**lines[0], "score": 2}, {**lines[0], "dimension": "X"}, lines[1],
                {"item": "t3"}, {**lines[0], "rater": ""}, {**lines[0], "more": 1}):  # fmt: skip
        path.write_text("".join(json.dumps(line) + "\n" for line in [*lines, bad]), encoding="utf-8")
        with pytest.raises((InputError, AnalysisError)):
            read_ratings(path)


def test_a_judged_try_becomes_a_trial_record() -> None:
    attempt = {"task": "t", "repeat": 2, "runtime": "a", "origin": "collected"}
    outcome = {"recovery": without("family"), "recovery_remarks": {"track": "native"}}
    one = {"outcome": outcome, "valid": True, "exclusion": None, "cost_usd": 0.75}
    record = trial_record(attempt, one, "f")
    assert record is not None
    found, _ = attempt_of(record)
    assert (found.task, found.family, found.trial, found.cost_usd, found.status) == ("t", "f", 2, 0.75, "strict_pass")
    assert found.track == "native"
    lost = trial_record(attempt, {"outcome": {}, "valid": False, "exclusion": "killed", "cost_usd": None}, None)
    assert lost is not None
    found, _ = attempt_of(lost)
    assert (found.valid, found.exclusion, found.family) == (False, "killed", "t")
    late = trial_record(attempt, {**one, "valid": False, "exclusion": "interrupted"}, "f")
    assert late is not None and late["strict_pass"] is False and attempt_of(late)[0].exclusion == "interrupted"
    assert trial_record(attempt, {**one, "outcome": {}}, "f") is None
