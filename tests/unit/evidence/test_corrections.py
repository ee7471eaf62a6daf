"""A correction is a new record: it changes what holds, and what held stays readable."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import made_trials as made
import pytest
import yaml
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

from analysis.recovery.document import scored
from analysis.recovery.records import panel_of
from harness.errors import InputError
from harness.evidence.auditing import audited
from harness.evidence.corrections import CorrectionData, authoritative, correction_body, read_correction
from harness.evidence.gather import trial_drafts
from harness.evidence.reading import Reading, check_bytes
from harness.evidence.results import trials_of_bundle
from harness.evidence.writing import Draft, extended, header, sealed, write_bundle

KEY = Ed25519PrivateKey.from_private_bytes(bytes(range(32)))
SUBJECT = "trial/a/task_00/1/1"
CHANGE = {"record": SUBJECT, "field": "dimensions.D", "new": 0.5}
CORRECTION: dict[str, Any] = {
    "tasks": ["task_00"], "entries": ["a"], "dimensions": ["D"], "reason": "the restart probe looked too early",
    "by": "R. Viewer", "rescoring": "possible", "changes": [CHANGE], "evidence": [SUBJECT],
    "reviewed": {"b": "its trials of this task never reached the probe"},
}  # fmt: skip


@pytest.fixture
def bundle(tmp_path: Path) -> bytes:
    records = [made.record(), made.failure(trial=2), made.record(runtime="b"), made.record("task_01")]
    unmeasured = made.lost("task_00", "a", 3)
    path = made.write_trials(tmp_path / "trials.jsonl", [*records, unmeasured])
    panel = made.write_panel(tmp_path / "panel.yaml", made.panel_data())
    return sealed([header(KEY, {"about": {"file": "trials.jsonl"}}), *trial_drafts(path, panel)], KEY)


def corrected(data: bytes, number: int = 1, **changes: Any) -> bytes:
    records = check_bytes(data).records
    body = correction_body(CorrectionData.model_validate({**CORRECTION, **changes}), records, "2026-11-30", "c.yaml")
    return extended(data, records, [Draft("correction", f"correction/{number}", body)], KEY)


def read(data: bytes) -> Reading:
    found = check_bytes(data)
    assert found.intact, found.faults
    return found


def test_a_correction_changes_what_holds_and_keeps_what_held(tmp_path: Path, bundle: bytes) -> None:
    fresh = corrected(bundle)
    assert fresh.startswith(bundle)
    records = read(fresh).records
    valid = authoritative(records)
    assert valid.bodies[SUBJECT]["dimensions"]["D"] == 0.5
    assert next(one for one in records if one["id"] == SUBJECT)["body"]["dimensions"]["D"] == 1
    assert valid.history[SUBJECT, "dimensions.D"] == [
        {"value": 1, "superseded_by": "correction/1", "reason": CORRECTION["reason"]}
    ]
    assert audited(read(fresh), [])["corrections"] == [
        {"record": "correction/1", "reason": CORRECTION["reason"], "rescoring": "possible", "supersedes": 1}
    ]
    write_bundle(tmp_path / "old.jsonl", bundle, {})
    write_bundle(tmp_path / "new.jsonl", fresh, {})
    old, _, _ = trials_of_bundle(tmp_path / "old.jsonl", "strict")
    new, notes, _ = trials_of_bundle(tmp_path / "new.jsonl", "strict")
    scores = [scored(trials, "a", panel_of(trials, 5)).score.quality for trials in (old, new)]
    assert scores[0] > scores[1] and scores[1] == pytest.approx(scores[0] - 7.5 / 3, abs=0.01)
    assert any("dimensions.D was corrected, 1 before" in note for note in notes)


def test_corrections_build_on_one_another(bundle: bytes) -> None:
    twice = corrected(corrected(bundle), 2, changes=[{**CHANGE, "new": 0.25}], evidence=["correction/1"])
    valid = authoritative(read(twice).records)
    assert [step["value"] for step in valid.history[SUBJECT, "dimensions.D"]] == [1, 0.5]
    assert valid.bodies[SUBJECT]["dimensions"]["D"] == 0.25 and audited(read(twice), [])["intact"]


def test_what_was_never_measured_needs_a_rerun(tmp_path: Path, bundle: bytes) -> None:
    lost = "trial/a/task_00/3"
    with pytest.raises(InputError, match="never measured"):
        corrected(bundle, changes=[{"record": lost + "/1", "field": "dimensions.D", "new": 1.0}])
    name = "trial/a/task_00/2/1"
    again = corrected(bundle, rescoring="rerun_required", changes=[], evidence=[], records=[name])
    found = audited(read(again), [])
    assert found["rerun_required"] == [name] and found["intact"]
    write_bundle(tmp_path / "again.jsonl", again, {})
    trials, notes, _ = trials_of_bundle(tmp_path / "again.jsonl", "strict")
    assert not any(one.runtime == "a" and one.task == "task_00" and one.trial == 2 for one in trials)
    assert any("needs a rerun" in note for note in notes)
    with pytest.raises(InputError, match="needs a rerun"):
        corrected(again, 2, changes=[{"record": name, "field": "dimensions.D", "new": 1.0}])


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"reviewed": {}}, "b has results of the same tasks, and was not reviewed"),
        ({"tasks": ["task_01"]}, "task_00, which is not in the scope"),
        ({"entries": ["b"], "reviewed": {"a": "fine"}}, "of a, which is not in the scope"),
        ({"evidence": ["trial/none"]}, "there is no record 'trial/none'"),
        ({"changes": [{**CHANGE, "record": "panel"}]}, "is a panel"),
        ({"changes": [{**CHANGE, "new": 1}]}, "is 1 already"),
        ({"changes": [{**CHANGE, "field": "dimensions.Z"}]}, "never measured"),
    ],
)
def test_corrections_that_do_not_hold_are_refused(bundle: bytes, change: dict[str, Any], said: str) -> None:
    with pytest.raises(InputError, match=said):
        corrected(bundle, **change)


@pytest.mark.parametrize(
    "change",
    [{"rescoring": "possible", "changes": []}, {"evidence": []}, {"rescoring": "rerun_required"}, {"reason": ""},
     {"by": None}, {"surplus": 1}, {"tasks": []}, {"dimensions": ["X"]}],
)  # fmt: skip
def test_incomplete_corrections_are_refused(tmp_path: Path, change: dict[str, Any]) -> None:
    path = tmp_path / "c.yaml"
    path.write_text(yaml.safe_dump({**CORRECTION, **change}), encoding="utf-8")
    with pytest.raises(InputError, match=r"c\.yaml"):
        read_correction(path)


def test_a_forged_old_value_is_found(bundle: bytes) -> None:
    records = check_bytes(bundle).records
    body = correction_body(CorrectionData.model_validate(CORRECTION), records, "2026-11-30", "c.yaml")
    body["supersedes"][0]["old"] = 0.9
    forged = extended(bundle, records, [Draft("correction", "correction/1", body)], KEY)
    found = audited(check_bytes(forged), [])
    assert [(one["record"], one["field"]) for one in found["faults"]] == [("correction/1", "supersedes[0].old")]


def test_a_bundle_of_trials_holds_records_edition_and_sources(bundle: bytes) -> None:
    found = read(bundle)
    kinds = [record["kind"] for record in found.records]
    assert kinds == ["bundle", *["trial"] * 5, "panel", "provenance", "seal"]
    sources = found.records[-2]["body"]["sources"]
    assert [source["name"] for source in sources] == ["trials.jsonl", "panel.yaml"]
    assert json.loads(bundle.split(b"\n")[1])["body"]["dimensions"]["F"] == 1
