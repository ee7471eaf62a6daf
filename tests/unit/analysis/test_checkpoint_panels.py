"""Panels and report parts from the event table of a checkpoint stage."""

from __future__ import annotations

import io
import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from analysis.checkpoints.panels import action_of, panels_of_events
from analysis.errors import InputError
from analysis.report.document import report_document
from analysis.report.page import page_of
from analysis.report.study import Choices, StageInfo, Study
from analysis.table import EventTable

PROTOCOL: dict[str, Any] = {
    "stage": "checks", "kind": "checkpoint", "repeats": 3,
    "analysis": {"budget": 8, "alpha": 0.05, "method": "fisher", "family": "checkpoints"},
    "checkpoint": {
        "actions": [{"name": "restart"}, {"name": "continue"}],
        "compare": {"restart": "restart", "continue": "continue"},
    },
}  # fmt: skip
HEAD = "stage,runtime,task,arm,repeat,try,horizon,event,call,reason,calls,cost_usd,wall_s,valid,exclusion,origin"


def lines(drop: str = "never") -> list[str]:
    """Restart passes always, continue never; one excluded try."""
    rows = ["checks,scripted,t-1,restart@aaaaaaaaaaaa,1,1,8,censored,3,,3,,1,false,worker_lost,synthetic"]
    for state, task in (("aaaaaaaaaaaa", "t-1"), ("bbbbbbbbbbbb", "t-2")):
        for action in ("continue", "restart"):
            for repeat in (1, 2, 3):
                number = 2 if (state[0], action, repeat) == ("a", "restart", 1) else 1
                event, call = ("verified", 4) if action == "restart" else ("censored", 8)
                reason = "" if action == "restart" else "horizon"
                place = f"checks,scripted,{task},{action}@{state},{repeat},{number}"
                rows.append(f"{place},8,{event},{call},{reason},{call},0.5,1,true,,synthetic")
    return [row for row in rows if drop not in row]


@pytest.fixture
def table(tmp_path: Path) -> Any:
    def read(rows: list[str]) -> EventTable:
        file = tmp_path / "events.csv"
        file.write_text("\n".join([HEAD, *rows]) + "\n")
        return EventTable.read([file])

    return read


def test_the_panel_of_an_event_table(table: Any) -> None:
    (panel,) = panels_of_events(table(lines()), "checks", PROTOCOL)
    assert panel.actions == ("restart", "continue")
    assert panel.checkpoints == ("aaaaaaaaaaaa", "bbbbbbbbbbbb") and panel.tasks == ("t-1", "t-2")
    assert (panel.runtime, panel.origin, panel.shape) == ("scripted", "synthetic", (2, 2, 3))
    assert np.array_equal(panel.evaluate, [[[1, 1, 1], [0, 0, 0]]] * 2)
    assert panel.calls is not None and panel.calls[0, 0, 0] == 4
    assert action_of("restart@aaaaaaaaaaaa") == "restart" and action_of("baseline") == "baseline"


@pytest.mark.parametrize(
    "rows, said",
    [
        (lines("bbbbbbbbbbbb,2"), "is missing"),
        (lines(",3,1,8"), "2 repeats"),
        (lines("continue@"), "1 actions"),
        ([lines()[1].replace("continue@aaaaaaaaaaaa", "baseline")], "names no action and checkpoint"),
        ([lines()[1].replace("continue@", "retry@")], "names no action and checkpoint"),
    ],
)
def test_a_table_with_holes_is_refused(table: Any, rows: list[str], said: str) -> None:
    with pytest.raises(InputError, match=said):
        panels_of_events(table(rows), "checks", PROTOCOL)


def study(events: EventTable) -> Study:
    info = StageInfo("checks", PROTOCOL, {"scripted": 12}, None)
    return Study(events, [info], Choices(replicates=200))


def test_a_report_of_a_checkpoint_stage(table: Any) -> None:
    pytest.importorskip("matplotlib")
    from analysis.figures.catalogue import figures_of

    document = json.loads(json.dumps(report_document(study(table(lines()))), allow_nan=False))
    assert document["cohorts"] == [] and document["audits"] == []
    assert document["stages"][0]["arms"] == ["continue", "restart"]
    assert document["stages"][0]["plan"]["kind"] == "protocol"
    (part,) = document["checkpoints"]
    assert part["audit"]["counts"] == {"restart": 0, "continue": 0, "abstain": 2}  # three draws cannot do more
    assert [row["passed"] for row in part["panels"][0]["actions"]] == [6, 0]
    assert {row["name"]: row["value"]["value"] for row in part["values"]} == {"nothing": 1, "task": 1, "state": 1}
    figures = figures_of(document)
    assert [drawing.name for drawing in figures["checkpoints"]] == ["checkpoints-1-checks"]
    assert "synthetic" in figures["checkpoints"][0].origin.lower()
    sections = {section.name: section for section in page_of(document, figures)}
    assert "checkpoints" in sections
    assert any(row["where"] == "checkpoints of checks" for row in document["unresolved"])


def test_a_report_of_an_incomplete_stage_says_so(table: Any) -> None:
    document = report_document(study(table(lines("bbbbbbbbbbbb,2"))))
    (part,) = document["checkpoints"]
    assert "is missing" in part["refused"] and part["audit"] is None
    assert any("is missing" in row["why"] for row in document["unresolved"])


def test_rows_of_another_stage_are_left_alone(table: Any) -> None:
    other = "other,scripted,t-1,baseline,1,1,8,verified,4,,4,0.5,1,true,,synthetic"
    (panel,) = panels_of_events(table([*lines(), other]), "checks", PROTOCOL)
    assert panel.shape == (2, 2, 3)
    text = io.StringIO(newline="")
    table([*lines(), other]).write_csv(text)
    assert "restart@aaaaaaaaaaaa" in text.getvalue()
