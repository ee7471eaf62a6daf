"""Arms that intervene in the report: the shipped stage under its own law shows the paper's pattern."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from planned_arms import Planned, applications, events_csv, planned

from analysis.figures.catalogue import figures_of
from analysis.figures.interventions import endings_of
from analysis.report.document import report_document
from analysis.report.page import page_of
from analysis.report.study import Choices, StageInfo, Study
from analysis.table import EventTable
from harness.protocol.digest import Stage, load_stage

CONTEXT60 = Path(__file__).resolve().parents[4] / "protocols" / "context60.yaml"


@pytest.fixture(scope="module")
def stage() -> Stage:
    return load_stage(CONTEXT60)


@pytest.fixture(scope="module")
def attempts(stage: Stage) -> list[Planned]:
    return planned(stage.protocol, stage.digest)


def reported(
    stage: Stage, rows: list[Planned], folder: Path, *, known: bool = True, cost: float = 0.001
) -> dict[str, Any]:  # fmt: skip
    file = folder / "events.csv"
    file.write_text(events_csv(rows, cost))
    protocol = stage.protocol.model_dump(mode="json", by_alias=True, exclude_none=True)
    facts = applications(rows, "context-reset") if known else None
    info = StageInfo("context60", protocol, {"scripted": 40}, "2026-11-30", facts)
    return report_document(Study(EventTable.read([file]), [info], Choices(replicates=200)))


def test_the_label_moves_success_does_not_cost_rises_and_the_rule_says_no(
    stage: Stage, attempts: list[Planned], tmp_path: Path
) -> None:
    (one,) = reported(stage, attempts, tmp_path)["interventions"]
    baseline, treated = one["arms"]
    assert (one["baseline"], baseline["intervened"], treated["attempts"]) == ("baseline", 0, 20)
    assert baseline["reasons"]["terminal"]["repeated_format_error"] >= 12
    assert treated["terminal"] == 0
    assert treated["reasons"]["censored"] == {"horizon": 20 - treated["verified"]}
    assert treated["intervened"] >= 15
    assert treated["applications"] >= treated["intervened"]
    assert treated["verified"] <= baseline["verified"] <= 2
    assert treated["recovered"] == 0
    (contrast,) = one["contrasts"]
    assert contrast["cost_increase"] == pytest.approx(contrast["calls_increase"])
    assert contrast["cost_increase"] > 0.2
    assert one["expansion"]["answer"] == "no"
    assert [clause["met"] for clause in one["expansion"]["clauses"]] == [False, False, False]


def test_the_rule_says_yes_when_the_numbers_do(stage: Stage, attempts: list[Planned], tmp_path: Path) -> None:
    better = [
        Planned(row.attempt, "verified", 20, None, (10,)) if row.attempt.arm == "rejuvenation" else row
        for row in attempts
    ]
    (one,) = reported(stage, better, tmp_path)["interventions"]
    assert one["arms"][1]["recovered"] == 20
    assert one["expansion"]["answer"] == "yes"


def test_a_pass_before_the_intervention_is_none_of_its(stage: Stage, attempts: list[Planned], tmp_path: Path) -> None:
    rows = [
        Planned(row.attempt, "verified", 20, None, (20, 25)) if row.attempt.arm == "rejuvenation" else row
        for row in attempts
    ]
    assert reported(stage, rows, tmp_path)["interventions"][0]["arms"][1]["recovered"] == 0


def test_a_part_of_the_stage_decides_nothing(stage: Stage, attempts: list[Planned], tmp_path: Path) -> None:
    document = reported(stage, attempts[:-1], tmp_path)
    (one,) = document["interventions"]
    assert (one["expansion"]["answer"], one["expansion"]["complete"]) == ("undecided", False)
    assert [clause["met"] for clause in one["expansion"]["clauses"]] == [False, False, False]
    (section,) = [one for one in page_of(document, figures_of(document)) if one.name == "interventions"]
    assert "not all planned attempts are counted" in str(section)


def test_what_nobody_recorded_is_unknown(stage: Stage, attempts: list[Planned], tmp_path: Path) -> None:
    (one,) = reported(stage, attempts, tmp_path, known=False, cost=0.0)["interventions"]
    assert one["arms"][1]["intervened"] is None
    assert one["expansion"]["answer"] == "undecided"
    assert one["contrasts"][0]["cost_increase"] is None


def test_page_and_figure_say_it(stage: Stage, attempts: list[Planned], tmp_path: Path) -> None:
    document = reported(stage, attempts, tmp_path)
    figures = figures_of(document)
    (drawing,) = figures["interventions"]
    assert "horizon" in drawing.alt
    assert "repeated_format_error" in drawing.alt
    assert b"<svg" in drawing.svg
    (section,) = [one for one in page_of(document, figures) if one.name == "interventions"]
    said = str(section)
    assert "no follow-up" in said
    assert "3 malformed replies in a row" in said
    assert list(endings_of(document["interventions"][0]["arms"][1])) == ["horizon"]


def test_stages_without_interventions_have_no_such_part(stage: Stage, attempts: list[Planned], tmp_path: Path) -> None:
    file = tmp_path / "events.csv"
    file.write_text(events_csv(attempts, 0.001))
    document = report_document(Study(EventTable.read([file]), [StageInfo("context60")], Choices(replicates=200)))
    assert document["interventions"] == []
    assert all(one.name != "interventions" for one in page_of(document, figures_of(document)))
