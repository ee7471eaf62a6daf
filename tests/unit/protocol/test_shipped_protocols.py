"""The stages that ship: complete, consistent with each other, and with the events that they promise."""

from __future__ import annotations

import math

import pytest

from harness.models.law import event_distribution
from harness.paths import PROJECT
from harness.plan import expand
from harness.protocol.load import parse_protocol
from harness.protocol.models import ScriptedModel
from harness.protocol.prompts import load_prompts
from harness.protocol.runtime import require_credentials, resolve_runtimes
from harness.protocol.schema import Protocol
from harness.yamlfile import load_yaml
from tasks.package import TaskPackage

STAGES = ("pilot30", "highid30", "stress30", "horizon60")
ATTEMPTS = {"pilot30": 70, "highid30": 35, "stress30": 25, "horizon60": 20}


def shipped(stage: str) -> Protocol:
    path = PROJECT / "protocols" / f"{stage}.yaml"
    return parse_protocol(load_yaml(path), path)


def shares(protocol: Protocol, runtime: str, by: int | None = None) -> dict[str, float]:
    """Mean probability, over tasks, of each event by call ``by`` (default: the horizon)."""
    model = protocol.runtimes[runtime].model
    assert isinstance(model, ScriptedModel)
    total = {"verified": 0.0, "RepeatedFormatError": 0.0, "Submitted": 0.0, "censored": 0.0}
    for task in protocol.tasks:
        law = model.law_for(task)
        events = event_distribution(
            law, model.scale, by or protocol.horizon, protocol.agent.max_consecutive_format_errors
        )
        total["verified"] += sum(events.verified)
        total["censored"] += events.censored
        for reason, chances in events.terminal.items():
            total[reason] += sum(chances)
    return {event: share / len(protocol.tasks) for event, share in total.items()}


@pytest.mark.parametrize("stage", STAGES)
def test_sets_need_no_key_by_default_and_plan_the_promised_attempts(stage: str) -> None:
    protocol = shipped(stage)
    assert set(protocol.sets) == {"scripted", "local", "luna", "deepseek", "oracle", "nop"}
    default = resolve_runtimes(protocol)
    require_credentials(protocol, default, {})
    plan = expand(protocol, "0" * 64, default)
    assert len(plan) == ATTEMPTS[stage]
    assert {attempt.origin for attempt in plan} == {"synthetic"}
    for name in ("luna", "deepseek"):
        model = protocol.runtimes[name].model
        assert model is not None
        assert model.kind == "litellm"
        assert model.temperature == 0.7
        assert model.credential
    assert load_prompts(protocol.agent.prompts).version


@pytest.mark.parametrize("stage", STAGES)
def test_every_task_has_a_package(stage: str) -> None:
    for task in shipped(stage).tasks:
        family, number = task.split("-")
        assert TaskPackage(PROJECT / "tasks" / family / number).id == task


def test_cohorts_relate_as_their_rules_say() -> None:
    cohorts = {stage: set(shipped(stage).tasks) for stage in STAGES}
    assert not cohorts["highid30"] & cohorts["pilot30"]
    assert not cohorts["stress30"] & (cohorts["pilot30"] | cohorts["highid30"])
    assert len(set().union(*cohorts.values())) == 19
    numbers = sorted(int(task.removeprefix("sympy-")) for task in cohorts["stress30"])
    assert cohorts["horizon60"] == {f"sympy-{number}" for number in numbers[:4]}


def test_pilot_runtimes_share_every_law_and_differ_in_scale() -> None:
    protocol = shipped("pilot30")
    fast, slow = (protocol.runtimes[f"scripted-{speed}"].model for speed in ("fast", "slow"))
    assert isinstance(fast, ScriptedModel)
    assert isinstance(slow, ScriptedModel)
    assert slow.model_copy(update={"scale": fast.scale}) == fast
    assert slow.scale > 2 > fast.scale
    assert 0.75 < shares(protocol, "scripted-fast")["verified"] < 0.85
    assert shares(protocol, "scripted-fast", by=12)["verified"] > 0.6
    slow_all, slow_early = (shares(protocol, "scripted-slow", by=call)["verified"] for call in (30, 12))
    assert slow_early < slow_all / 2


def test_difficulty_is_as_announced() -> None:
    assert shares(shipped("highid30"), "scripted", by=15)["verified"] > 0.95
    assert shares(shipped("stress30"), "scripted")["verified"] < 0.2


def test_horizon60_mixes_all_three_events() -> None:
    protocol = shipped("horizon60")
    events = shares(protocol, "scripted")
    assert 0.4 < events["RepeatedFormatError"] < 0.6
    attempts = len(protocol.tasks) * protocol.repeats
    for event in ("verified", "RepeatedFormatError", "censored"):
        # Chance that a whole collection lacks the event (tasks about alike).
        assert math.pow(1 - events[event], attempts) < 0.03
