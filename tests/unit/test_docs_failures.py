"""docs/failures.md: every end and every exclusion is listed, and the example's numbers are what the code says."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from analysis.report.cohorts import cohorts_of
from analysis.report.conventions import conventions
from analysis.table import EventTable
from harness.outcome import CENSORED, TERMINAL

PROJECT = Path(__file__).resolve().parents[2]
PAGE = (PROJECT / "docs" / "failures.md").read_text(encoding="utf-8")


def rows(heading: str) -> list[list[str]]:
    """Cells of the first table below a heading."""
    part = PAGE.split(f"## {heading}")[1].split("\n## ")[0]
    lines = re.findall(r"^\| .*$", part, re.MULTILINE)[1:]
    return [[cell.strip() for cell in line.strip("|").split("|")] for line in lines]


def test_every_end_of_an_attempt_is_listed_with_its_event() -> None:
    listed = {(event, reason.strip("`")) for _, event, reason, _ in rows("Outcomes: the agent's doing")}
    ends = {("terminal", reason) for reason in TERMINAL.values()} | {("censored", name) for name in CENSORED.values()}
    assert listed == ends | {("verified", "(empty)")}


def test_every_exclusion_is_listed() -> None:
    listed = {name.strip("`") for name, _, _ in rows("Exclusions: not the agent's doing")}
    code = "".join(path.read_text() for path in (PROJECT / "harness").rglob("*.py"))
    quoted = r'(?:AttemptLost|Failure|Lost|exclude_lost_try)\([^"()]*"([a-z]+_[a-z]+)"'
    found = set(re.findall(quoted, code)) - {*TERMINAL, *CENSORED}
    assert {"sandbox_lost", "cost_unknown", "worker_hung", "task_changed"} <= found
    kept = {"rate_limit", "server_error", "malformed_response"}  # classes of one request, not of a try
    assert found - kept <= listed
    for name in listed:
        assert f'"{name}"' in code, f"{name} is no exclusion"


def test_the_examples_numbers_are_those_of_the_code(tmp_path: Path) -> None:
    pytest.importorskip("lifelines")
    (text,) = re.findall(r"```csv\n(.*?)```", PAGE, re.DOTALL)
    (tmp_path / "demo.csv").write_text(text)
    (cohort,) = cohorts_of(EventTable.read([tmp_path / "demo.csv"]))
    shown = []
    for one in conventions(cohort, 10):
        bounds = [f"{100 * one[name]:.2f} %" for name in ("at_least", "at_most")]
        incidence = f"{100 * one['incidence']['value']:.2f} %" if one["incidence"] else ""
        shown.append([one["convention"], str(one["tries"]), str(one["verified"]), *bounds, incidence])
    assert rows("What the convention changes") == shown
