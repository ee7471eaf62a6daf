"""Arms that intervene, end to end on the tiny laboratory: real sandbox, real verifier, what the trajectory says."""

from __future__ import annotations

import csv
import io
import json
from typing import Any

import pytest
from endpoints import in_lab
from planned_arms import planned
from tiny_lab import LAW, TinyLab

from harness.paths import state_dir
from harness.protocol.freeze import freeze, require_frozen
from harness.recorder import read_trajectory
from harness.store.blobs import Blobs
from harness.store.store import Store

pytestmark = pytest.mark.needs_bwrap
__all__ = ["in_lab"]

NEVER = [{"from": 1, "value": 0.0}]
REJUVENATION = {
    "name": "rejuvenation", "trigger": {"kind": "format-errors", "count": 3},
    "action": {"name": "context-reset", "workspace": "keep", "context": "summary"},
}  # fmt: skip


def scripted(law: dict[str, Any], **model: Any) -> dict[str, Any]:
    return {
        "runtimes": {"scripted": {"agent": "scripted", "model": {"kind": "scripted", "law": {**LAW, **law}, **model}}},
        "sets": {"scripted": ["scripted"]},
    }


def rows(lab: TinyLab, stage: str) -> list[dict[str, str]]:
    done = lab.run("collect", stage)
    assert done.returncode == 0, done.stderr
    return list(csv.DictReader(io.StringIO(lab.run("export", stage).stdout)))


def lines(lab: TinyLab, stage: str, arm: str, repeat: int = 1) -> tuple[list[dict[str, Any]], dict[str, Any]]:
    """Lines of the trajectory of an attempt, and its outcome."""
    with Store.open(lab.state / "restartlab.db") as store:
        (facts,) = [
            facts for attempt, facts in store.ended_tries(stage)
            if facts["valid"] and (attempt.arm, attempt.repeat) == (arm, repeat)
        ]  # fmt: skip
    data = Blobs(state_dir() / "blobs").get(facts["trajectory"])
    return list(read_trajectory(data)), facts["outcome"]


def first_attempt(lab: TinyLab) -> str:
    """Id of the first attempt of stage ``restart``."""
    with Store.open(lab.state / "restartlab.db") as store:
        return store.attempts("restart")[0].id


def test_scripted_arms_end_as_their_laws_say_and_the_rule_says_no(in_lab: TinyLab) -> None:
    law = {"hazard": [{"from": 1, "value": 0.03}], "malformed": 0.35, "malformed_after_malformed": 0.8, "submit": 0.0}
    in_lab.write_stage(
        "context", horizon=20, repeats=5, arms=[{"name": "baseline"}, REJUVENATION],
        analysis={
            "budget": 20, "cutoffs": [10, 20], "times": [5], "alpha": 0.05, "method": "clopper-pearson",
            "family": "tasks x times", "expansion_rule": "As below.",
            "expansion": {"treatment": "rejuvenation", "baseline": "baseline", "min_gain": 0.05, "min_recovered": 2,
                          "max_cost_increase": 0.2},
        },
        **scripted(law, cost_per_call_usd=0.002, after={"context-reset": {"hazard": NEVER}}),
    )  # fmt: skip
    freeze("context")
    stage = require_frozen("context")
    found = {(row["arm"], int(row["repeat"])): row for row in rows(in_lab, "context")}
    expected = planned(stage.protocol, stage.digest)
    for one in expected:
        row = found[one.attempt.arm, one.attempt.repeat]
        assert (row["event"], int(row["call"]), row["reason"] or None) == (one.event, one.call, one.reason)
        assert float(row["cost_usd"]) == pytest.approx(0.002 * one.call)
        _, outcome = lines(in_lab, "context", one.attempt.arm, one.attempt.repeat)
        assert [step["call"] for step in outcome.get("interventions", [])] == list(one.applied)
    document = json.loads(in_lab.run("report", "context", "--json").stdout)
    (part,) = document["interventions"]
    assert part["expansion"]["answer"] == "no"
    baseline, treated = part["arms"]
    assert baseline["reasons"]["terminal"].get("repeated_format_error", 0) >= 3
    assert treated["terminal"] == 0
    assert treated["verified"] <= baseline["verified"]
    assert treated["intervened"] == sum(bool(one.applied) for one in expected)
    assert part["contrasts"][0]["cost_increase"] > 0.2


def test_a_fresh_context_keeps_the_files_and_drops_the_talk(in_lab: TinyLab) -> None:
    law = {"hazard": NEVER, "malformed": 0.5, "malformed_after_malformed": 1.0, "submit": 0.0, "destroy": 0.0}
    in_lab.write_stage("fresh", horizon=9, repeats=6, arms=[REJUVENATION], **scripted(law))
    freeze("fresh")
    rows(in_lab, "fresh")
    told = []
    for repeat in range(1, 7):
        found, outcome = lines(in_lab, "fresh", "rejuvenation", repeat)
        if not outcome["interventions"]:
            continue
        start = next(n for n, line in enumerate(found) if line["type"] == "context")
        assert found[start]["kept"] == 0
        assert [line["type"] for line in found[start - 2 : start]] == ["intervention", "message"]
        said = [line["message"] for line in found[start + 1 : start + 4]]
        assert [message["role"] for message in said] == ["system", "user", "user"]
        assert "double(3) gives 5, not 6." in said[1]["content"]
        assert "git status --porcelain" in said[2]["content"]
        assert not any("THOUGHT: I" in str(message["content"]) for message in said)
        told.append(said[2]["content"])
    assert told
    assert any("?? " in text or " M tinypkg/core.py" in text for text in told)


def test_a_restart_at_a_fixed_call_is_a_fresh_draw_in_a_clean_workspace(in_lab: TinyLab) -> None:
    law = {"hazard": NEVER, "malformed": 0.0, "submit": 0.0, "destroy": 1.0}
    arm = {
        "name": "restart", "trigger": {"kind": "call", "call": 3},
        "action": {"name": "restart", "workspace": "reset", "context": "reset"},
    }  # fmt: skip
    sure = {"restart": {"hazard": [{"from": 1, "value": 0.0}, {"from": 3, "value": 1.0}], "destroy": 0.0}}
    in_lab.write_stage("restart", horizon=8, repeats=2, arms=[arm], **scripted(law, after=sure))
    freeze("restart")
    assert {(row["event"], row["call"]) for row in rows(in_lab, "restart")} == {("verified", "6")}
    found, outcome = lines(in_lab, "restart", "restart")
    (applied,) = outcome["interventions"]
    assert (applied["call"], applied["workspace"], applied["event"]) == (3, "reset", None)
    states = {line["call"]: line for line in found if line["type"] == "verdict"}
    assert states[3]["state"] != "pass"
    assert states[4]["layer"] != states[3]["layer"]
    shown = in_lab.run("show", first_attempt(in_lab)).stdout
    assert "intervention after call 3: restart (workspace reset, context reset)" in shown
    roles = [line["message"]["role"] for line in found if line["type"] == "message"]
    assert roles.count("system") == 2


@pytest.mark.parametrize(
    "action",
    [
        {"name": "retry", "workspace": "keep", "context": "keep", "message": "It is not done. Go on."},
        {"name": "replace", "workspace": "reset", "context": "keep", "message": "Begin with clean files."},
    ],
)
def test_an_action_in_place_of_a_submission(in_lab: TinyLab, action: dict[str, Any]) -> None:
    law = {"hazard": NEVER, "malformed": 0.0, "submit": 1.0, "destroy": 0.0}
    arm = {"name": "again", "trigger": {"kind": "event", "reasons": ["unverified_submission"]}, "action": action}
    in_lab.write_stage("again", repeats=1, arms=[{"name": "baseline"}, arm], **scripted(law))
    freeze("again")
    found = {row["arm"]: row for row in rows(in_lab, "again")}
    assert (found["baseline"]["event"], found["baseline"]["call"]) == ("terminal", "1")
    assert (found["again"]["event"], found["again"]["call"]) == ("censored", "8")
    said, outcome = lines(in_lab, "again", "again")
    assert [step["call"] for step in outcome["interventions"]] == list(range(1, 9))
    talk = [line["message"] for line in said if line["type"] == "message"]
    assert [message["content"] for message in talk if message["role"] == "user"][1:] == [action["message"]] * 8
    answered = {message.get("tool_call_id") for message in talk if message["role"] == "tool"}
    asked = {call["id"] for message in talk if message["role"] == "assistant" for call in message["tool_calls"]}
    assert answered == asked


def test_most_bounds_the_applications(in_lab: TinyLab) -> None:
    law = {"hazard": NEVER, "malformed": 1.0, "malformed_after_malformed": 1.0}
    in_lab.write_stage("once", horizon=9, repeats=1, arms=[{**REJUVENATION, "most": 1}], **scripted(law))
    freeze("once")
    (row,) = rows(in_lab, "once")
    assert (row["event"], row["call"], row["reason"]) == ("terminal", "6", "repeated_format_error")


def test_agents_that_cannot_be_intervened_upon_are_refused_by_name(in_lab: TinyLab) -> None:
    import yaml

    path = in_lab.write_stage("odd", arms=[REJUVENATION], **scripted({}))
    data = yaml.safe_load(path.read_text())
    for change, complaint in (
        ({"arms": [{"name": "a", "trigger": {"kind": "call", "call": 3}}]}, "arms.0.trigger: has no action"),
        ({"arms": [{"name": "a", "action": REJUVENATION["action"]}]}, "arms.0.action: nothing is there to keep"),
        ({"arms": [{**REJUVENATION, "trigger": {"kind": "format-errors", "count": 4}}]}, "never happen: 3 end"),
        ({"arms": [{**REJUVENATION, "trigger": {"kind": "call", "call": 8}}]}, "leaves nothing of a horizon of 8"),
    ):
        path.write_text(yaml.safe_dump({**data, **change}))
        assert complaint in in_lab.run("freeze", "odd").stderr
