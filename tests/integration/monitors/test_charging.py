"""Monitoring is charged, for real: the same alarm and action, and one question costs the whole gain."""

from __future__ import annotations

import json
from typing import Any

import pytest
from monitor_stage import RESTART, scripted
from tiny_lab import TinyLab, stage_data

pytestmark = pytest.mark.needs_bwrap

#: Nothing completes an attempt but a restart; five calls after it, the task is done.
NEVER = {"hazard": [{"from": 1, "value": 0.0}], "malformed": 0.0, "submit": 0.0, "destroy": 0.0}
FIFTH = {"hazard": [{"from": 1, "value": 0.0}, {"from": 5, "value": 1.0}]}


def _arm(name: str, monitor: str, threshold: float, **params: int) -> dict[str, Any]:
    trigger = {"kind": "alarm", "monitor": monitor, "threshold": threshold, "params": params}
    return {"name": name, "action": dict(RESTART), "trigger": trigger, "most": 1}


def _collect(lab: TinyLab, horizon: int) -> dict[str, dict[str, str]]:
    """Rows of the event table by arm, of one attempt each; both alarms come after call 3."""
    analysis: Any = stage_data()["analysis"]
    stage = f"charged{horizon}"
    lab.write_stage(
        stage, repeats=1, horizon=horizon, analysis=analysis | {"budget": horizon, "cutoffs": [4], "times": [4]},
        arms=[{"name": "baseline"}, _arm("free", "fixed-time", 3.0), _arm("asked", "stated-confidence", 0.7, every=3)],
        **scripted(NEVER, after={"restart": FIFTH}, cost_per_call_usd=0.01),
    )  # fmt: skip
    for words in (("freeze", stage), ("collect", stage), ("export", stage, "-o", f"{stage}.csv")):
        done = lab.run(*words)
        assert done.returncode == 0, done.stderr
    head, *rows = (lab.root / f"{stage}.csv").read_text().splitlines()
    found = [dict(zip(head.split(","), row.split(","), strict=True)) for row in rows]
    return {row["arm"]: row for row in found}


def test_an_alarm_that_costs_the_whole_gain_gains_nothing(lab: TinyLab) -> None:
    """Eight calls: 3 and a restart of 5 pass; with one question in between, the ninth would have been needed."""
    rows = _collect(lab, 8)
    outcome = {arm: (row["event"], row["call"]) for arm, row in rows.items()}
    assert outcome["free"] == ("verified", "8")
    assert outcome["asked"] == outcome["baseline"] == ("censored", "8")
    success = {arm: row["event"] == "verified" for arm, row in rows.items()}
    assert success["free"] - success["baseline"] == 1
    assert success["asked"] - success["baseline"] == 0
    assert float(rows["asked"]["cost_usd"]) == pytest.approx(0.08)


def test_with_a_call_more_the_question_is_paid_for_and_the_gain_is_back(lab: TinyLab) -> None:
    rows = _collect(lab, 9)
    assert (rows["asked"]["event"], rows["asked"]["call"], rows["asked"]["calls"]) == ("verified", "9", "9")
    assert float(rows["asked"]["cost_usd"]) == pytest.approx(0.09)
    assert (rows["free"]["call"], float(rows["free"]["cost_usd"])) == ("8", pytest.approx(0.08))
    shown = lab.run("status", "charged9", "--json")
    assert json.loads(shown.stdout)["stage"] == "charged9"
