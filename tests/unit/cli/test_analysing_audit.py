"""The commands audit, power, samples, coverage and value, as a person and as a program reads them."""

from __future__ import annotations

import csv
import json
from pathlib import Path
from typing import Any

import pytest
import typer
from made_cells import DATA
from typer.testing import CliRunner, Result

from harness.cli import analysing_audit
from harness.errors import RestartlabError

EVENTS = str(DATA / "timing_attempts.csv")
AUDIT = ["audit", "--events", EVENTS, "--stages", "pilot30,highid30,stress30", "--budget", "30"]

app = typer.Typer(pretty_exceptions_enable=False)
analysing_audit.add_to(app)


def run(*words: str) -> Result:
    return CliRunner().invoke(app, list(words))


def document(*words: str) -> Any:
    found = run(*words, "--json")
    assert found.exit_code == 0, found.output
    return json.loads(found.stdout)


def refused(*words: str) -> RestartlabError:
    error = run(*words).exception
    assert isinstance(error, RestartlabError)
    return error


def test_audit_document() -> None:
    found = document(*AUDIT, "--times", "4,8,12,16,20,24", "--alpha", "0.05")
    assert list(found) == ["family", "alpha", "method", "plan", "comparisons", "summary"]
    assert (found["family"], found["alpha"], found["method"], found["plan"]) == (
        156, 0.05, "clopper-pearson", "exploratory",
    )  # fmt: skip
    decisions = [row["decision"] for row in found["comparisons"]]
    assert (decisions.count("abstain"), decisions.count("not_reached"), len(decisions)) == (103, 53, 156)
    assert {row["attainable_n"] for row in found["comparisons"]} == {14}
    (luna,) = [r for r in found["summary"] if (r["stage"], r["runtime"], r["t"]) == ("pilot30", "luna", 16)]
    assert (luna["live_cells"], luna["perfect_alarm"]) == (2, pytest.approx(0.8 / 35))


def test_audit_for_people() -> None:
    text = run(*AUDIT, "--times", "16").stdout
    assert "0 restart, 0 continue, 13 abstain; 13 never reached" in text
    assert "pilot30 luna baseline 23413" in text
    assert "0.00 (0/1)" in text
    assert "80.00 (4/5)" in text
    assert "Below n = 12 an arm no outcome whatever is certified in a family of 26" in text
    assert "80 % power at p = 0.8, q = 0.2 takes n = 41 an arm" in text


def test_audit_refusals_say_why_and_exit_with_2() -> None:
    for words, message in (
        (("--times", "16", "--method", "fisher"), "share attempts"),
        (("--times", "16,x"), "'16,x' is no list of whole numbers"),
        ((), "--times: is missing"),
        (("--times", "16", "--effect", "0.5,0.5"), "no effect"),
        (("--times", "30"), "leaves no decision"),
        (("--times", "16", "--family", "3"), "smaller than the 26"),
    ):
        error = refused(*AUDIT, *words)
        assert message in str(error)
        assert error.exit_code == 2


def test_audit_by_split_and_pairs() -> None:
    for words in (("--method", "boschloo", "--sampling", "split"), ("--method", "betting", "--optional-stopping")):
        found = document(*AUDIT, "--times", "8", *words)
        assert found["method"] == words[1]
        assert found["comparisons"][0]["restart_interval"] is None


def test_power() -> None:
    found = document("power", "--family", "156")
    needed = {(row["design"], row["method"]): row["n"] for row in found["rows"]}
    assert needed["independent", "clopper-pearson"] == 52
    assert needed["one-pool", "clopper-pearson"] > 52
    (row,) = [r for r in found["rows"] if (r["design"], r["method"]) == ("one-pool", "fisher")]
    assert (row["n"], row["power"]) == (None, None)
    assert "share attempts" in row["refused"]
    assert "share attempts" in str(refused("power", "--method", "fisher", "--design", "one-pool"))
    fixed = document("power", "--method", "betting", "--design", "independent", "--n", "30", "--p", "0.9", "--q", "0.1")
    assert fixed["rows"][0]["power"]["restart"] > 0.9
    text = run("power", "--family", "156", "--most", "60").stdout
    assert "> 60" in text
    assert "refused: one-pool boschloo" in text


def test_samples() -> None:
    found = document("samples", "--epsilon", "0.1", "--family", "1,156", "--n", "20")
    assert [row["n"] for row in found["rows"]] == [42, 90]
    assert found["rows"][0]["given_upper"] == pytest.approx(1 - 0.0125 ** (1 / 20))
    assert "90 attempts without a success" in run("samples", "--family", "156").stdout
    assert refused("samples", "--epsilon", "0").exit_code == 2


def test_coverage() -> None:
    words = (
        "coverage",
        "--law",
        "tied,late",
        "--method",
        "fisher,weak-sign",
        "--replicates",
        "200",
        "--attempts",
        "20",
    )
    found = document(*words)
    assert [(row["law"], row["method"], row["broken"]) for row in found["rows"]] == [
        (law, method, False) for law in ("tied", "late") for method in ("fisher", "weak-sign")
    ]
    assert found == document(*words)
    assert "tied fisher split" in run(*words).stdout
    assert "unknown law 'odd'" in str(refused("coverage", "--law", "odd"))


def test_value_of_numbers() -> None:
    found = document("value", "--q", "0.5", "--p", "0.8", "--tau", "0.9", "--phi", "0.1")
    assert found["gain"] == pytest.approx(0.35)
    assert found["break_even"] == pytest.approx(0.1)
    assert found["accuracy"] == pytest.approx(0.9)
    assert document("value", "--q", "0.5", "--p", "0.8", "--tau", "0", "--phi", "0")["break_even"] is None
    assert "35.00 points" in run("value", "--q", "0.5", "--p", "0.8", "--tau", "0.9", "--phi", "0.1").stdout
    assert "--tau, --phi: missing" in str(refused("value", "--q", "0.5", "--p", "0.8"))
    assert "--q: 2.0 is not" in str(refused("value", "--q", "2", "--p", "0.8", "--tau", "1", "--phi", "1"))


def test_value_of_a_table_of_alarms(tmp_path: Path) -> None:
    file = tmp_path / "alarms.csv"
    with open(EVENTS, newline="") as events, open(file, "w", newline="") as stream:
        writer = csv.writer(stream)
        writer.writerow(["stage", "task", "runtime", "repeat", "call", "score"])
        for row in csv.DictReader(events):
            writer.writerow(
                [row["stage"], row["task"], row["runtime"], row["repeat"], 4, int(row["event"] != "verified")]
            )
    words = (
        "value",
        "--events",
        EVENTS,
        "--stages",
        "pilot30",
        "--alarms",
        str(file),
        "--budget",
        "30",
        "--times",
        "8",
    )
    found = document(*words, "--threshold", "1")
    assert found["unmatched_rows"] == 80
    luna = {row["runtime"]: row for row in found["rows"]}["luna"]
    assert luna["auroc"]["value"] == luna["tau"]["value"] == 1
    assert luna["gain"] == luna["ceiling"]
    assert luna["ceiling"]["value"] == pytest.approx(0.16 / 7)
    assert document(*words)["rows"][0]["gain"] == {"value": None, "low": None, "high": None}
    text = run(*words, "--threshold", "1", "--monitoring-calls", "2").stdout
    assert "net of monitoring" in text
    assert "monitoring 2 calls" in text
    assert "--budget, --times: are needed" in str(refused(*words[:-4]))
    assert "give one or the other" in str(refused(*words, "--q", "0.5"))
