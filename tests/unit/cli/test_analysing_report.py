"""The commands report and manifest, as a person and as a program uses them."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
import typer
from made_cells import DATA
from made_study import PLAN, odd_rows
from typer.testing import CliRunner, Result

from harness.cli import analysing_report
from harness.collection.importing import import_files, read_files
from harness.errors import RestartlabError
from harness.store.store import Store

EVENTS = str(DATA / "timing_attempts.csv")

app = typer.Typer(pretty_exceptions_enable=False)
analysing_report.add_to(app)


def run(*words: object) -> Result:
    return CliRunner().invoke(app, [str(word) for word in words])


def refused(*words: object) -> str:
    error = run(*words).exception
    assert isinstance(error, RestartlabError)
    assert error.exit_code == 2
    return str(error)


def test_report_and_manifest(tmp_path: Path) -> None:
    pytest.importorskip("matplotlib")
    place = tmp_path / "report"
    done = run("report", "pilot30", "--events", EVENTS, "-o", place)
    assert done.exit_code == 0, done.output
    assert f"{place}/report.html" in done.stdout
    again = tmp_path / "again"
    assert run("report", "--events", place / "events.csv", "-o", again).exit_code == 0
    one, other = (json.loads((folder / "report.json").read_text()) for folder in (place, again))
    assert one["provenance"]["sources"] != other["provenance"]["sources"]
    del one["provenance"]["sources"], other["provenance"]["sources"]
    assert one == other

    checked = run("manifest", place)
    assert (checked.exit_code, "verified: 14 files" in checked.stdout) == (0, True), checked.output
    document = json.loads(run("manifest", place, "--json").stdout)
    assert document["verified"] is True
    assert {row["role"] for row in document["files"]} == {"page", "text", "data", "events", "figure"}
    (place / "report.md").write_text("better numbers", encoding="utf-8")
    spoiled = run("manifest", place)
    assert isinstance(spoiled.exception, RestartlabError)
    assert spoiled.exception.exit_code == 1
    assert "changed: report.md" in str(spoiled.exception)
    assert "report.md was changed" in refused("report", "pilot30", "--events", EVENTS, "-o", place)


def test_json_needs_no_folder(tmp_path: Path) -> None:
    done = run(
        "report", "--events", EVENTS, "--budget", "30", "--cutoffs", "8,16", "--times", "16", "--json", "highid30"
    )
    document = json.loads(done.stdout)
    assert [stage["stage"] for stage in document["stages"]] == ["highid30"]
    assert document["stages"][0]["plan"]["cutoffs"] == [8, 16]
    assert document["provenance"]["sources"][0]["name"] == "timing_attempts.csv"
    assert len(document["provenance"]["sources"][0]["sha256"]) == 64


def test_report_of_a_database_uses_the_plan_and_the_planned_attempts(tmp_path: Path) -> None:
    table = tmp_path / "odd.csv"
    head = (
        "stage,digest,origin,task,runtime,arm,repeat,try,horizon,event,call,action,reason,calls,cost_usd,wall_s,"
        "unpassed_at,repassed_at,valid,exclusion"
    )
    rows = [row for row in odd_rows() if row.startswith("made,")]
    table.write_text("\n".join([head, *rows]) + "\n", encoding="utf-8")
    database = tmp_path / "lab.db"
    with Store.open(database) as store:
        store.register_stage("made", "d" * 64, {"protocol": {"title": "Odd things", "analysis": PLAN}})
        import_files(store, read_files([table]))
    document = json.loads(run("report", "made", "--database", database, "--json").stdout)
    (stage,) = document["stages"]
    assert (stage["title"], stage["plan"]["kind"], stage["plan"]["budget"]) == ("Odd things", "protocol", 20)
    assert (sum(stage["planned"].values()), stage["attempts"], stage["frozen"]) == (23, 22, None)
    part = json.loads(run("report", "made", "--database", database, "--runtime", "scripted", "--json").stdout)
    assert part["stages"][0]["plan"]["kind"] == "exploratory"
    assert part["stages"][0]["runtimes"] == ["scripted"]


def test_bad_words_are_refused_before_anything_is_written(tmp_path: Path) -> None:
    place = tmp_path / "report"
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine" / "thesis.tex").write_text("x")
    for words, message in (
        (("report", "--events", EVENTS), "-o: is missing"),
        (("report", "-o", place), "STAGE: is missing"),
        (("report", "nothing", "--events", EVENTS, "-o", place), "'nothing' is not in"),
        (("report", "--events", EVENTS, "-o", place, "--cutoffs", "4:30"), "no list of whole numbers"),
        (("report", "--events", EVENTS, "-o", place, "--times", "90"), "leaves no decision"),
        (("report", "--events", EVENTS, "-o", tmp_path / "mine"), "not a report's"),
        (("report", "x", "--database", tmp_path / "none.db", "-o", place), "none.db"),
        (("manifest", tmp_path / "none"), "no such folder"),
    ):
        assert message in refused(*words)
    assert sorted(path.name for path in tmp_path.iterdir()) == ["mine"]


def test_manifest_of_any_folder(tmp_path: Path) -> None:
    (tmp_path / "events.csv").write_text("x")
    assert "not verified" in run("manifest", tmp_path).stdout
    assert json.loads(run("manifest", tmp_path, "--json").stdout)["verified"] is None
    assert "verified: 1 files" in run("manifest", tmp_path, "--write").stdout
    assert "there already" in refused("manifest", tmp_path, "--write")
