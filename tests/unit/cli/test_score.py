"""``restartlab score``: what it prints, writes and refuses."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import made_trials as made
import pytest
from jsonschema import Draft202012Validator
from typer.testing import CliRunner, Result

from analysis.report.manifest import verified
from harness.cli.app import app
from harness.errors import RestartlabError

PROJECT = Path(__file__).resolve().parents[3]
SCHEMA = Draft202012Validator(json.loads((PROJECT / "docs" / "schemas" / "score.json").read_text(encoding="utf-8")))


@pytest.fixture
def trials(tmp_path: Path) -> Path:
    return made.write_trials(tmp_path / "trials.jsonl", made.made("a", 0.6) + made.made("b", 0.3))


@pytest.fixture
def panel(tmp_path: Path) -> Path:
    return made.write_panel(tmp_path / "panel.yaml", made.frozen(made.audited(made.panel_data())))


def run(*words: object) -> Result:
    return CliRunner().invoke(app, ["score", *map(str, words)])


def document(*words: object) -> dict[str, Any]:
    done = run(*words, "--json")
    assert done.exception is None, done.output
    found: dict[str, Any] = json.loads(done.stdout)
    assert [error.message for error in SCHEMA.iter_errors(found)] == []
    assert not SCHEMA.is_valid({**found, "surplus": 1})
    assert not any(SCHEMA.is_valid({k: v for k, v in found.items() if k != key}) for key in found)
    return found


def refusal(*words: object) -> str:
    done = run(*words)
    assert isinstance(done.exception, RestartlabError), done.output
    return str(done.exception)


def test_documents_fit_their_schema(tmp_path: Path, trials: Path, panel: Path) -> None:
    found = document(trials, "--panel", panel, "--runtime", "a")
    assert found["label"] == "official" and found["trials"] == 100 and found["panel"] == "made-1"
    compared = document(trials, "--panel", panel, "--compare", "a,b", "--replicates", 200)
    assert compared["systems"] == ["a", "b"] and compared["mean"] > 0
    ratings = tmp_path / "r.jsonl"
    rows = [{"item": "t", "dimension": "M", "rater": name, "score": 1.0} for name in "xy"]
    ratings.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    agreed = document("--ratings", ratings)
    assert agreed["agreement"]["M"]["alpha"] == dict.fromkeys(("nominal", "ordinal", "interval"))
    assert "not defined" in run("--ratings", ratings).stdout


def test_text_names_label_reasons_and_numbers(trials: Path, panel: Path) -> None:
    text = run(trials, "--panel", panel).stdout
    assert "a: official (edition made-1, frozen 2026-11-30" in text
    assert "b: unverified" in text and "not official: no audit was approved" in text
    assert re.search(r"quality \d+\.\d\d, reliability \d+\.\d\d \[\d", text)


def test_several_systems_are_not_one_document(trials: Path, panel: Path) -> None:
    assert "2 systems: a, b" in refusal(trials, "--panel", panel, "--json")


def test_a_missing_cost_is_named_and_nothing_scores(tmp_path: Path, panel: Path) -> None:
    records = made.made("a", 0.6)
    passed = next(one for one in records if one["strict_pass"])
    passed["cost_usd"] = None
    path = made.write_trials(tmp_path / "t.jsonl", records)
    done = run(path, "--panel", panel, "--json")
    found = json.loads(done.stdout)
    assert found["crs"] is None and found["efficiency"] is None and found["label"] == "provisional"
    assert isinstance(done.exception, RestartlabError) and done.exception.exit_code == 1
    assert f"cost_usd is missing, in 1 strict pass: {passed['task']} trial {passed['trial']}" in str(done.exception)


def test_a_label_can_be_required(tmp_path: Path, trials: Path, panel: Path) -> None:
    assert run(trials, "--panel", panel, "--runtime", "a", "--require", "official").exception is None
    assert "b is unverified, not provisional: no audit" in refusal(
        trials, "--panel", panel, "--runtime", "b", "--require", "provisional"
    )
    scripted = made.panel_data()
    scripted["calibration"][0]["synthetic"] = True
    path = made.write_panel(tmp_path / "s.yaml", made.frozen(made.audited(scripted)))
    said = refusal(trials, "--panel", path, "--runtime", "a", "--require", "official")
    assert "a is provisional" in said and "synthetic" in said
    assert "SYNTHETIC" in run(trials, "--panel", path, "--runtime", "a").stdout


def test_bad_input_is_refused(tmp_path: Path, trials: Path, panel: Path) -> None:
    assert "SOURCE" in refusal()
    assert "no attempts of 'c'" in refusal(trials, "--panel", panel, "--runtime", "c")
    assert "is no pair" in refusal(trials, "--panel", panel, "--compare", "a")
    assert "beside SOURCE" in refusal(trials, "--ratings", trials)
    assert "cannot be read" in refusal(trials, "--panel", tmp_path / "none.yaml")
    bad = made.record()
    bad["dimensions"]["D"] = float("nan")
    text = refusal(made.write_trials(tmp_path / "bad.jsonl", [bad]), "--panel", panel)
    assert "dimensions.D is nan" in text and "bad.jsonl, row 1" in text


def test_the_page_shows_every_field_and_says_what_is_unavailable(tmp_path: Path, trials: Path, panel: Path) -> None:
    pytest.importorskip("matplotlib")
    folder = tmp_path / "report"
    assert run(trials, "--panel", panel, "-o", folder).exception is None
    found = verified(folder)
    assert found is not None and found.intact
    assert {one.path for one in found.artifacts if one.role == "figure"} == {
        f"figures/recovery-{kind}-{number}.{end}"
        for kind in ("tasks", "quality") for number in (1, 2) for end in ("svg", "png")
    }  # fmt: skip
    page = (folder / "report.md").read_text(encoding="utf-8")
    mine, other = page[page.index("## Entry a") :].split("## Entry b")
    fields = (
        "entry", "label", "track", "system configuration", "edition", "panel digest", "coverage", "attempts",
        "excluded by reason", "quality", "dimensions", "caps", "reliability", "efficiency", "full bill", "CRS",
        "safety events", "calibration", "uncertainty", "audit", "withheld", "exposures before",
    )  # fmt: skip
    for field in fields:
        assert f"| {field} |" in mine and f"| {field} |" in other, field
    for field, value in (("track", "unavailable"), ("withheld", "unavailable"), ("audit", "not approved")):
        assert f"| {field} | {value} |" in other
    assert "| track | native |" in mine and "A. Uditor" in mine
    assert "## Paired comparisons" in page
    data = json.loads((folder / "report.json").read_text(encoding="utf-8"))
    assert data["kind"] == "recovery" and [one["runtime"] for one in data["entries"]] == ["a", "b"]
    again = tmp_path / "again"
    run(trials, "--panel", panel, "-o", again)
    assert all((again / one.path).read_bytes() == (folder / one.path).read_bytes() for one in found.artifacts)
