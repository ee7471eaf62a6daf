"""Scripted, oracle and nop models under mini-swe-agent's own agent, prompts and parser."""

from __future__ import annotations

import json
import shlex
import subprocess
import sys
from collections import defaultdict
from pathlib import Path

import minisweagent
import pytest
import yaml
from minisweagent.agents.default import DefaultAgent
from minisweagent.environments.local import LocalEnvironment
from minisweagent.exceptions import FormatError, InterruptAgentFlow

from harness.models.fixed import NopModel, OracleModel
from harness.models.law import CompletionLaw
from harness.models.plan import plan, planned_event
from harness.models.scripted import ScriptedModel

CONFIG = yaml.safe_load((Path(minisweagent.__file__).parent / "config/benchmarks/swebench.yaml").read_text())
TEMPLATES = {key: CONFIG["model"][key] for key in ("observation_template", "format_error_template")}
LAW = CompletionLaw.model_validate({
    "hazard": [{"from": 1, "value": 0.0}, {"from": 3, "value": 0.15}],
    "malformed": 0.15, "malformed_after_malformed": 0.6, "submit": 0.05, "destroy": 0.1,
})


class Watched(LocalEnvironment):
    """mini-swe-agent's own environment with bash as its shell, that ends the attempt at the first passing state."""

    def __init__(self, passes, **kwargs):
        super().__init__(**kwargs)
        self.passes = passes

    def execute(self, action, cwd="", *, timeout=None):
        output = super().execute({"command": f"bash -c {shlex.quote(action['command'])}"}, cwd, timeout=timeout)
        if self.passes(Path(self.config.cwd)):
            raise InterruptAgentFlow({"role": "exit", "content": "", "extra": {"exit_status": "verified"}})
        return output


def attempt(tiny, model, root, horizon):
    """Run one attempt; returns (exit status, calls, messages)."""
    limits = {"step_limit": horizon, "cost_limit": 0.0}
    prompts = {key: CONFIG["agent"][key] for key in ("system_template", "instance_template")}
    environment = Watched(tiny.passes, cwd=str(root), env={"PYTHONDONTWRITEBYTECODE": "1"})
    agent = DefaultAgent(model, environment, **prompts, **limits)
    end = agent.run("the issue")
    assert agent.cost == 0.0
    json.dumps(agent.serialize())
    return end["exit_status"], agent.n_calls, agent.messages


def scripted(tiny, seed, horizon=6, law=LAW):
    return ScriptedModel(tiny.task, law=law, seed=seed, horizon=horizon, **TEMPLATES)


def test_real_attempts_end_as_planned(tiny, workspace):
    seeds = defaultdict(list)
    for seed in range(100):
        end = planned_event(plan(seed, LAW, 1.0, 6))
        seeds[{"verified": "verified", "censored": "LimitsExceeded", "terminal": end.reason}[end.event]].append(seed)
    assert set(seeds) == {"verified", "LimitsExceeded", "Submitted", "RepeatedFormatError"}
    for want, seed in [(status, seed) for status, some in seeds.items() for seed in some[:3]]:
        status, calls, messages = attempt(tiny, scripted(tiny, seed), workspace(), 6)
        assert (status, calls) == (want, planned_event(plan(seed, LAW, 1.0, 6)).call), seed
        tools = [m for m in messages if m["role"] == "tool"]
        assert all("returncode" in m["extra"] and m["tool_call_id"].startswith("call_") for m in tools)


def test_malformed_replies_are_refused_by_the_parser_in_every_way(tiny):
    model = scripted(tiny, 1, law=LAW.overridden({"malformed": 1.0, "malformed_after_malformed": 1.0}))
    texts = []
    for call in range(1, 61):
        with pytest.raises(FormatError) as caught:
            model.query([])
        (message,) = caught.value.messages
        extra = message["extra"]
        assert (extra["interrupt_type"], extra["cost"], extra["model"]) == ("FormatError", 0.0, "scripted")
        assert extra["response"]["id"] == f"chatcmpl-{call}" and extra["response"]["choices"]
        texts.append(message["content"])
    for way in ("No tool calls found", "Error parsing tool call arguments", "Unknown tool 'str_replace_editor'",
                "Missing 'command' argument", "reached the output token limit"):
        assert any(way in text for text in texts), way


def test_messages_look_like_a_real_models(tiny):
    model = scripted(tiny, 5, law=LAW.overridden({"malformed": 0.0}))
    several = 0
    for _ in range(60):
        message = model.query([])
        assert message["role"] == "assistant" and message["content"].startswith("THOUGHT: ")
        extra = message["extra"]
        assert (extra["cost"], extra["model"], extra["response"]["model"]) == (0.0, "scripted", "scripted")
        sent = {t["id"]: json.loads(t["function"]["arguments"])["command"] for t in message["tool_calls"]}
        assert {a["tool_call_id"]: a["command"] for a in extra["actions"]} == sent
        several += len(sent) > 1
    assert several


def test_same_seed_same_calls_whatever_the_messages(tiny):
    a, b = (scripted(tiny, 11, law=LAW.overridden({"malformed": 0.0})) for _ in range(2))
    for n in range(30):
        left, right = a.query([]), b.query([{"role": "user", "content": f"noise {n}"}])
        assert left["tool_calls"] == right["tool_calls"] and left["content"] == right["content"]


def test_serialize_records_the_declared_law(tiny):
    info = scripted(tiny, 2**64 - 1).serialize()["info"]["config"]
    assert info["model_type"] == "harness.models.scripted.ScriptedModel"
    assert info["model"]["seed"] == str(2**64 - 1)
    assert CompletionLaw.model_validate(info["model"]["law"]) == LAW


def test_oracle_passes_at_its_second_call(tiny, workspace):
    root = workspace()
    status, calls, messages = attempt(tiny, OracleModel(tiny.task, seed=0, horizon=9, **TEMPLATES), root, 9)
    assert (status, calls) == ("verified", 2)
    assert "def mean" in messages[3]["content"]


def test_oracle_submits_when_nothing_stops_it(tiny):
    model = OracleModel(tiny.task, seed=0, horizon=9, **TEMPLATES)
    commands = [model.query([])["extra"]["actions"][0]["command"] for _ in range(4)]
    assert commands[2:] == ["echo COMPLETE_TASK_AND_SUBMIT_FINAL_OUTPUT && git diff"] * 2


def test_nop_submits_an_unchanged_workspace(tiny, workspace):
    root = workspace()
    status, calls, _ = attempt(tiny, NopModel(tiny.task, seed=0, horizon=9, **TEMPLATES), root, 9)
    assert (status, calls) == ("Submitted", 2)
    assert subprocess.run(["git", "status", "--short"], cwd=root, capture_output=True, check=True).stdout == b""


def test_nothing_heavy_is_imported():
    code = (
        "import sys; import harness.models.law; heavy = {'numpy', 'minisweagent', 'litellm', 'jinja2', 'scipy'};"
        "print(sorted(heavy & set(sys.modules)));"
        "import harness.models.scripted, harness.models.fixed; print(sorted(heavy & set(sys.modules)));"
        "import harness.models.replies as r; m = r.ReplyModel(r.ReplyConfig(model_name='m', observation_template='',"
        "format_error_template='', seed='1', horizon=1), iter([r.acting('x', 'ls')])); m.query([]);"
        "print('litellm' in sys.modules)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.split("\n")[:3] == ["[]", "[]", "False"]
