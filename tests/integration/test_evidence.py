"""Evidence of a real stage: exported, verified, redacted, corrected; and of trial records, scored from the bundle."""

from __future__ import annotations

import json
import re
import shutil
from pathlib import Path
from typing import Any

import made_trials as made
import pytest
import yaml
from jsonschema import Draft202012Validator
from tiny_lab import PROJECT, TinyLab, make_lab

SECRET = "sk-tiny-lab-secret"


@pytest.fixture(scope="module")
def collected(tmp_path_factory: pytest.TempPathFactory, tiny_cache: Path) -> TinyLab:
    """A laboratory with two collected stages, an imported one, and a key."""
    lab = make_lab(tmp_path_factory.mktemp("evidence") / "lab", tiny_cache)
    for stage in ("tiny", "other"):
        lab.write_stage(stage, repeats=2)
        ok(lab, "freeze", stage)
        ok(lab, "collect", stage)
    ok(lab, "export", "tiny", "-o", "events.csv")
    text = (lab.root / "events.csv").read_text(encoding="utf-8")
    (lab.root / "elsewhere.csv").write_text(re.sub("^tiny,[0-9a-f]{64},", "elsewhere,,", text, flags=re.M))
    ok(lab, "import", "elsewhere.csv")
    ok(lab, "evidence", "keygen", "key")
    return lab


def ok(lab: TinyLab, *words: str, **more: str) -> str:
    done = lab.run(*words, **more)
    assert done.returncode == 0, (words, done.stdout[-2000:], done.stderr[-2000:])
    return done.stdout


def verified(lab: TinyLab, *words: str) -> dict[str, Any]:
    done = lab.run("evidence", "verify", *words, "--json")
    found: dict[str, Any] = json.loads(done.stdout)
    schema = json.loads((PROJECT / "docs" / "schemas" / "evidence-verify.json").read_text(encoding="utf-8"))
    assert [error.message for error in Draft202012Validator(schema).iter_errors(found)] == []
    assert done.returncode == (0 if found["intact"] else 1), done.stderr
    return found


@pytest.mark.needs_bwrap
@pytest.mark.parametrize(
    ("stage", "blobs"), [("tiny", "inline"), ("tiny", "files"), ("other", "none"), ("elsewhere", "inline")]
)
def test_every_stage_can_be_exported_and_verified(collected: TinyLab, stage: str, blobs: str) -> None:
    bundle = f"{stage}-{blobs}"
    ok(collected, "evidence", "export", stage, "--key", "key", "-o", bundle, "--blobs", blobs)
    found = verified(collected, bundle, "--key", "key.pub")
    assert found["intact"] and found["trusted"] is True, found["faults"]
    assert found["records"]["attempt"] == found["records"]["try"] == found["records"]["provenance"] == 2
    assert found["records"]["conditions"] == found["records"]["stage"] == 1
    assert "identity of bytes only" in found["statement"]
    again = collected.run("evidence", "export", stage, "--key", "key", "-o", bundle)
    assert again.returncode == 2 and "never overwritten" in again.stderr


@pytest.mark.needs_bwrap
def test_a_stage_says_nothing_of_others(collected: TinyLab) -> None:
    ok(collected, "evidence", "export", "other", "--key", "key", "-o", "alone")
    text = (collected.root / "alone").read_text(encoding="utf-8")
    ledger = [json.loads(line)["body"] for line in text.splitlines() if '"kind":"ledger"' in line]
    withheld = [one for one in ledger if one["payload"].get("withheld")]
    assert withheld and len(withheld) < len(ledger)
    assert '"stage":"tiny"' not in text


@pytest.mark.needs_bwrap
def test_a_changed_file_is_found_wherever_it_is(collected: TinyLab) -> None:
    ok(collected, "evidence", "export", "tiny", "--key", "key", "-o", "folder", "--blobs", "files")
    folder = collected.root / "folder"
    blob = next((folder / "blobs").iterdir())
    whole = blob.read_bytes()
    blob.write_bytes(whole[:-1] + bytes([whole[-1] ^ 1]))
    (fault,) = verified(collected, "folder")["faults"]
    assert fault["record"] == f"blob/{blob.name}" and fault["field"] == "file"
    blob.unlink()
    assert "missing" in verified(collected, "folder")["faults"][0]["what"]
    blob.write_bytes(whole)
    (folder / "more").write_text("x")
    assert verified(collected, "folder")["faults"][0]["record"] == "more"
    (folder / "more").unlink()
    assert verified(collected, "folder")["intact"]


@pytest.mark.needs_bwrap
def test_the_ledger_is_checked_against_the_rows(collected: TinyLab) -> None:
    """Whoever holds the key can sign anything: then the ledger in the bundle tells."""
    from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

    from harness.evidence.auditing import audited
    from harness.evidence.reading import check_bytes
    from harness.evidence.writing import Draft, header, sealed

    ok(collected, "evidence", "export", "tiny", "--key", "key", "-o", "signed")
    records = check_bytes((collected.root / "signed").read_bytes()).records
    key = Ed25519PrivateKey.generate()

    def faults(kind: str, field: str, value: Any) -> set[tuple[str, str]]:
        drafts, done = [], False
        for record in records[1:-1]:
            body = record["body"]
            if record["kind"] == kind and not done:
                body, done = {**body, field: value}, True
            drafts.append(Draft(record["kind"], record["id"], body))
        found = audited(check_bytes(sealed([header(key, {}), *drafts], key)), [])
        return {(one["record"].split("/")[0], one["field"]) for one in found["faults"]}

    assert faults("try", "cost_usd", 12.5) == {("try", "cost_usd")}
    assert faults("try", "outcome", {"base": "x"}) == {("try", "outcome")}
    assert faults("attempt", "task", "tiny-2") == {("attempt", "task")}
    assert ("ledger", "hash") in faults("ledger", "at", "2020-01-01")
    assert ("ledger", "prev_hash") in faults("ledger", "prev_hash", "f" * 64)
    assert faults("blob", "data", "QUJD") == {("blob", "data")}
    assert faults("attempt", "id", "0" * 64) >= {("attempt", "record")}


@pytest.mark.needs_bwrap
def test_redaction_reaches_the_ledger_too(collected: TinyLab) -> None:
    rules = [
        {"kind": "try", "field": "host", "reason": "names a machine", "auditors": "on request"},
        {"kind": "stage", "field": "protocol.protocol.description", "reason": "protected", "auditors": "on request"},
    ]
    (collected.root / "rules.yaml").write_text(yaml.safe_dump({"withhold": rules}), encoding="utf-8")
    words = ("evidence", "export", "tiny", "--key", "key", "-o", "redacted", "--redact", "rules.yaml")
    alone = collected.run(*words)
    assert alone.returncode == 2 and "--auditors" in alone.stderr
    ok(collected, *words, "--auditors", "auditors.jsonl")
    assert (collected.root / "auditors.jsonl").stat().st_mode & 0o077 == 0
    lines = [json.loads(line) for line in (collected.root / "redacted").read_text(encoding="utf-8").splitlines()]
    hosts = [one["value"] for line in (collected.root / "auditors.jsonl").read_text().splitlines()
             if (one := json.loads(line))["field"].endswith("host")]  # fmt: skip
    assert len(hosts) == 6  # two tries, each started and finished in the ledger
    bodies = [json.dumps(line["body"]) for line in lines if line["kind"] in ("try", "ledger")]
    assert not any(json.dumps(hosts[0]) in body for body in bodies)
    found = verified(collected, "redacted", "--auditors", "auditors.jsonl")
    assert found["intact"], found["faults"]
    assert {one["reason"] for one in found["withheld"]} >= {"names a machine", "protected"}


@pytest.mark.needs_bwrap
def test_a_credential_of_the_environment_is_withheld(collected: TinyLab) -> None:
    """A value that a trajectory holds: here one that every trajectory of the task holds."""
    ok(collected, "evidence", "export", "tiny", "--key", "key", "-o", "leaky", MY_API_KEY="tinypkg/core.py")
    text = (collected.root / "leaky").read_text(encoding="utf-8")
    assert "holds the value of MY_API_KEY" in text
    assert verified(collected, "leaky")["intact"]


@pytest.mark.needs_bwrap
def test_a_correction_of_a_stage_is_in_its_ledger_and_its_next_bundle(collected: TinyLab, tmp_path: Path) -> None:
    lab = collected.copied(tmp_path / "lab")
    ok(lab, "evidence", "export", "tiny", "--key", "key", "-o", "before")
    name = next(line.split("\t")[2] for line in ok(lab, "evidence", "show", "before").splitlines() if "\ttry\t" in line)
    data = {
        "tasks": ["tiny-1"], "entries": ["scripted"], "reason": "cached tokens were billed", "by": "R. Viewer",
        "rescoring": "possible", "changes": [{"record": name, "field": "cost_usd", "new": 0.25}], "evidence": [name],
    }  # fmt: skip
    (lab.root / "c.yaml").write_text(yaml.safe_dump(data), encoding="utf-8")
    ok(lab, "evidence", "correct", "tiny", "c.yaml")
    again = lab.run("evidence", "correct", "tiny", "c.yaml")
    assert again.returncode == 2 and "already" in again.stderr
    ok(lab, "evidence", "export", "tiny", "--key", "key", "-o", "after")
    found = verified(lab, "after")
    assert found["intact"] and len(found["corrections"]) == 1
    shown = json.loads(ok(lab, "evidence", "show", "after", name))
    assert shown["record"]["body"]["cost_usd"] == 0 and shown["holds"]["cost_usd"] == 0.25
    assert shown["superseded"]["cost_usd"][0]["value"] == 0
    assert verified(lab, "before")["intact"]


def test_trials_are_scored_from_their_bundle_and_after_its_correction(tmp_path: Path, tiny_cache: Path) -> None:
    lab = make_lab(tmp_path / "lab", tiny_cache)
    made.write_trials(lab.root / "trials.jsonl", made.made("a", 0.6))
    made.write_panel(lab.root / "panel.yaml", made.frozen(made.audited(made.panel_data())))
    ok(lab, "evidence", "keygen", "key")
    ok(lab, "evidence", "export", "trials.jsonl", "--panel", "panel.yaml", "--key", "key", "-o", "b.jsonl")
    assert verified(lab, "b.jsonl", "--key", "key.pub")["records"]["trial"] > 100
    scores = {
        source: json.loads(ok(lab, "score", source, "--panel", "panel.yaml", "--json"))
        for source in ("trials.jsonl", "b.jsonl")
    }
    assert scores["trials.jsonl"] == scores["b.jsonl"] and scores["b.jsonl"]["label"] == "official"
    passed = next(json.loads(line)["id"] for line in (lab.root / "b.jsonl").read_text().splitlines()
                  if '"status":"strict_pass"' in line)  # fmt: skip
    data = {
        "tasks": [passed.split("/")[2]], "entries": ["a"], "dimensions": ["I"], "reason": "the probe was too narrow",
        "by": "R. Viewer", "rescoring": "possible", "evidence": [passed],
        "changes": [{"record": passed, "field": "dimensions.I", "new": 0.5}],
    }  # fmt: skip
    (lab.root / "c.yaml").write_text(yaml.safe_dump(data), encoding="utf-8")
    ok(lab, "evidence", "correct", "b.jsonl", "c.yaml", "--key", "key", "-o", "c.jsonl")
    done = lab.run("score", "c.jsonl", "--panel", "panel.yaml", "--json")
    assert json.loads(done.stdout)["quality"] == pytest.approx(scores["b.jsonl"]["quality"] - 0.075, abs=0.011)
    assert "dimensions.I was corrected, 1 before" in done.stderr
    found = verified(lab, "c.jsonl")
    assert len(found["seals"]) == 2 and found["seals"][0]["head"] == verified(lab, "b.jsonl")["seals"][0]["head"]
    older = lab.run("evidence", "verify", "b.jsonl", "--head", found["seals"][-1]["head"])
    assert older.returncode == 1 and "an older or another bundle" in older.stderr
    shutil.copy(lab.root / "c.jsonl", lab.root / "d.jsonl")
    text = (lab.root / "d.jsonl").read_bytes()
    (lab.root / "d.jsonl").write_bytes(text.replace(b'"status":"strict_pass"', b'"status":"strict_pazz"', 1))
    refused = lab.run("score", "d.jsonl", "--panel", "panel.yaml")
    assert refused.returncode == 2 and "is not intact" in refused.stderr and "status" in refused.stderr
    other = ok(lab, "evidence", "keygen", "stranger")
    assert other and verified(lab, "c.jsonl", "--key", "stranger.pub")["trusted"] is False
