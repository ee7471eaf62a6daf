"""Redaction takes fields, never classifications or whole records; digests stay, and auditors can check them."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import made_trials as made
import pytest
import yaml
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

from harness.errors import InputError
from harness.evidence.auditing import audited
from harness.evidence.gather import credential_finder, trial_drafts
from harness.evidence.reading import check_bytes
from harness.evidence.redaction import PROTECTED, Rule, read_rules, redacted, without_credentials
from harness.evidence.results import trials_of_bundle
from harness.evidence.withheld import Withheld, auditors_text, salted, withheld_in
from harness.evidence.writing import Draft, header, sealed, write_bundle

KEY = Ed25519PrivateKey.from_private_bytes(bytes(range(32)))
OBLIGATIONS = [
    {"name": "served", "dimension": "F", "passed": True, "detail": "GET /orders/17 gave 17"},
    {"name": "kept", "dimension": "S", "passed": True, "detail": None},
]
RULE = Rule(kind="trial", field="obligations[].detail", reason="protected task content", auditors="on request")


def drafts(tmp_path: Path) -> list[Draft]:
    return trial_drafts(made.write_trials(tmp_path / "t.jsonl", [made.record(obligations=OBLIGATIONS)]), None)


def in_a_bundle(some: list[Draft]) -> bytes:
    return sealed([header(KEY, {}), *some], KEY)


def test_a_withheld_field_leaves_its_digest_and_the_score(tmp_path: Path) -> None:
    hidden, kept = redacted(drafts(tmp_path), [RULE])
    data = in_a_bundle(hidden)
    assert b"orders" not in data
    found = check_bytes(data)
    marks = dict(withheld_in(found.records[1]["body"]))
    assert list(marks) == ["obligations[0].detail"]
    mark = marks["obligations[0].detail"]
    assert mark["reason"] == "protected task content" and mark["auditor_access"] == "on request"
    assert [(one.record, one.field, one.value) for one in kept] == [
        (hidden[0].id, "obligations[0].detail", "GET /orders/17 gave 17")
    ]
    assert mark["digest"] == salted(kept[0].salt, kept[0].value) and len(kept[0].salt) == 32
    write_bundle(tmp_path / "b.jsonl", data, {})
    report = audited(found, [])
    assert report["intact"] and report["withheld"][0]["fields"] == 1


def test_a_redacted_bundle_scores_the_same(tmp_path: Path) -> None:
    hidden, _ = redacted(drafts(tmp_path), [RULE])
    for name, some in (("open", drafts(tmp_path)), ("hidden", hidden)):
        write_bundle(tmp_path / name, in_a_bundle(some), {})
    (open_,), _, _ = trials_of_bundle(tmp_path / "open", "strict")
    (closed,), _, _ = trials_of_bundle(tmp_path / "hidden", "strict")
    assert (open_.dimensions, open_.flags, open_.strict_pass) == (closed.dimensions, closed.flags, closed.strict_pass)
    assert [one.passed for one in closed.obligations] == [True, True]
    assert closed.obligations[0].detail == "withheld: protected task content"


def test_auditors_check_what_was_withheld(tmp_path: Path) -> None:
    hidden, kept = redacted(drafts(tmp_path), [RULE])
    reading = check_bytes(in_a_bundle(hidden))

    def report(some: list[Withheld]) -> dict[str, Any]:
        lines = [json.loads(line) for line in auditors_text(some).decode().splitlines()]
        return audited(reading, [], list(enumerate(lines, 1)))

    assert report(kept)["intact"]
    for bad in ([], [kept[0]._replace(value="GET /orders/17 gave 18")], [kept[0]._replace(salt="00")],
                [*kept, kept[0]._replace(field="status")]):  # fmt: skip
        found = report(bad)
        assert not found["intact"] and found["faults"][0]["record"] == hidden[0].id


@pytest.mark.parametrize("field", [*PROTECTED["trial"], "dimensions.D", "obligations", "obligations[]", "flags.x"])
def test_what_classification_needs_may_not_be_withheld(tmp_path: Path, field: str) -> None:
    path = tmp_path / "rules.yaml"
    path.write_text(yaml.safe_dump({"withhold": [{**RULE.model_dump(), "field": field}]}), encoding="utf-8")
    with pytest.raises(InputError, match=r"rules\.yaml: withhold\.0\.field: .* may not be withheld"):
        read_rules(path)


@pytest.mark.parametrize("kind", ["bundle", "seal", "correction", "ledger", "panel"])
def test_what_holds_the_bundle_together_may_not_be_withheld(tmp_path: Path, kind: str) -> None:
    path = tmp_path / "rules.yaml"
    path.write_text(yaml.safe_dump({"withhold": [{**RULE.model_dump(), "kind": kind, "field": "x"}]}), encoding="utf-8")
    with pytest.raises(InputError, match="may not be withheld"):
        read_rules(path)


def test_bad_rules_are_refused(tmp_path: Path) -> None:
    path = tmp_path / "rules.yaml"
    for bad in ({"withhold": [{"kind": "trial", "field": "remarks", "reason": "x"}]}, {"hide": []}, {"withhold": 3}):
        path.write_text(yaml.safe_dump(bad), encoding="utf-8")
        with pytest.raises(InputError, match=r"rules\.yaml"):
            read_rules(path)
    with pytest.raises(InputError, match="has a field 'nothing'"):
        redacted(drafts(tmp_path), [RULE.model_copy(update={"field": "nothing"})])


def test_a_whole_record_is_never_withheld(tmp_path: Path) -> None:
    rules = [RULE.model_copy(update={"kind": "note", "field": name}) for name in ("a", "b")]
    with pytest.raises(InputError, match="nothing of note/1 would be left"):
        redacted([Draft("note", "note/1", {"a": 1, "b": 2})], rules)


def test_a_credential_never_leaves(tmp_path: Path) -> None:
    some = [Draft("note", "note/1", {"text": "it said sk-very-secret-1 twice", "other": 1})]
    find = credential_finder(some, {"SOME_API_KEY": "sk-very-secret-1", "HOME": "/root"})
    (hidden,) = without_credentials(some, find)
    assert "sk-very" not in json.dumps(hidden.body)
    assert hidden.body["text"]["reason"] == "holds the value of SOME_API_KEY" and hidden.body["other"] == 1
