"""Trajectories as other harnesses write them, made here."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

#: (command, return code, output): what an agent did and was shown. The return code "timeout" is a time limit.
Step = tuple[str, Any, str]

SUBMIT = "echo COMPLETE_TASK_AND_SUBMIT_FINAL_OUTPUT && git add -A && git diff --cached"
REPAIR = "sed -i 's/return n + 2/return 2 * n/' tinypkg/core.py"
BREAK = "sed -i 's/return 2 \\* n/return n + 2/' tinypkg/core.py"


def _info(calls: int, status: str, cost: float) -> dict[str, Any]:
    return {
        "exit_status": status, "submission": "", "mini_version": "1.15.0",
        "model_stats": {"instance_cost": cost, "api_calls": calls},
        "config": {
            "agent": {"step_limit": 250, "cost_limit": 3.0}, "model": {"model_name": "somebody/model-1"},
            "environment": {"cwd": "/testbed", "timeout": 60, "env": {"PAGER": "cat"}},
        },
    }  # fmt: skip


def mini_1(
    steps: Sequence[Step | str], instance: str = "tiny-1", status: str = "Submitted", cost: float | None = 0.01
) -> dict[str, Any]:
    """Format 1; a text instead of a step is a malformed reply. The last step is the submission."""
    messages: list[dict[str, Any]] = [{"role": "system", "content": "s"}, {"role": "user", "content": "u"}]
    for number, step in enumerate(steps):
        extra = {"response": {"created": 1_700_000_000 + number}} | ({} if cost is None else {"cost": cost})
        if isinstance(step, str):
            messages += [{"role": "assistant", "content": step, "extra": extra},
                         {"role": "user", "content": "Please always provide EXACTLY ONE action"}]  # fmt: skip
            continue
        command, code, output = step
        messages.append({"role": "assistant", "content": f"I will.\n\n```bash\n{command}\n```", "extra": extra})
        if code == "timeout":
            shown = f"The last command <command>{command}</command> timed out and has been killed."
        elif command.startswith("echo COMPLETE_TASK"):
            shown = output
        else:
            shown = f"<returncode>{code}</returncode>\n<output>\n{output}</output>"
        messages.append({"role": "user", "content": shown})
    total = len(steps) * (cost or 0.02)
    return {
        "trajectory_format": "mini-swe-agent-1", "instance_id": instance, "messages": messages,
        "info": _info(len(steps), status, total),
    }  # fmt: skip


def mini_1_1(steps: Sequence[Sequence[Step] | str], instance: str = "tiny-1", tools: bool = True) -> dict[str, Any]:
    """Format 1.1: each step a list of actions; a text instead is a malformed reply."""
    messages: list[dict[str, Any]] = [{"role": "system", "content": "s"}, {"role": "user", "content": "u"}]
    for number, step in enumerate(steps):
        if isinstance(step, str):
            extra = {"interrupt_type": "FormatError", "model_response": step, "cost": 0.5, "timestamp": 2.0}
            messages.append({"role": "user", "content": "malformed", "extra": extra})
            continue
        names = [{"tool_call_id": f"c{number}-{at}"} if tools else {} for at in range(len(step))]
        actions = [{"command": one[0], **name} for one, name in zip(step, names, strict=True)]
        messages.append({"role": "assistant", "content": None if tools else "text",
                         "extra": {"actions": actions, "cost": 0.25, "timestamp": 1.5}})  # fmt: skip
        if any(one[0].startswith("echo COMPLETE_TASK") for one in step):
            messages.append({"role": "exit", "content": "", "extra": {"exit_status": "Submitted", "submission": "S"}})
            break
        for (_, code, output), name in zip(step, names, strict=True):
            extra = {"raw_output": output, "returncode": code, "exception_info": ""}
            if code == "timeout":
                extra |= {"returncode": -1, "exception_info": "command timed out after 60 s"}
            messages.append({"role": "tool" if tools else "user", "content": "shown", "extra": extra, **name})
    return {
        "trajectory_format": "mini-swe-agent-1.1", "instance_id": instance, "messages": messages,
        "info": _info(len(steps), "Submitted", 1.0),
    }  # fmt: skip


def swe_agent(steps: Sequence[tuple[str, str]], status: str = "submitted") -> dict[str, Any]:
    """A ``.traj``: (action, observation) each."""
    return {
        "trajectory": [{"action": a, "observation": o, "response": "text", "thought": "t"} for a, o in steps],
        "history": [], "info": {"exit_status": status, "model_stats": {"instance_cost": 0.7}, "submission": ""},
        "replay_config": json.dumps({"agent": {"model": {"name": "m", "per_instance_call_limit": 75}}}),
    }  # fmt: skip


def atif(steps: Sequence[Sequence[tuple[str, dict[str, Any], str]]], agent: str = "mini") -> dict[str, Any]:
    """ATIF: each step a list of (tool, arguments, observation)."""
    made = []
    for number, calls in enumerate(steps, 2):
        named = [(f"t{number}-{at}", *call) for at, call in enumerate(calls)]
        made.append({
            "step_id": number, "source": "agent", "timestamp": "2026-01-01T00:00:01Z", "message": "m",
            "metrics": {"cost_usd": 0.125},
            "tool_calls": [{"tool_call_id": i, "function_name": t, "arguments": a} for i, t, a, _ in named],
            "observation": {"results": [{"source_call_id": i, "content": o} for i, _, _, o in named]},
        })  # fmt: skip
    return {
        "schema_version": "ATIF-v1.6", "session_id": "s", "agent": {"name": agent, "version": "2", "model_name": "m"},
        "steps": [{"step_id": 1, "source": "user", "message": "u"}, *made], "final_metrics": {"total_cost_usd": 0.5},
    }  # fmt: skip


def write(path: Path, data: Any) -> Path:
    """Writes ``data`` as JSON."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(data))
    return path


def inspect_log(path: Path, instance: str, steps: Sequence[tuple[str, str]]) -> None:
    """An ``.eval`` log that Inspect's own writer makes: each step a (command, output) of a shell; then a last reply."""
    from inspect_ai import log, model, tool

    messages: list[Any] = [model.ChatMessageUser(content="u")]
    for number, (command, output) in enumerate(steps):
        call = tool.ToolCall(id=str(number), function="bash", arguments={"cmd": command})
        messages.append(model.ChatMessageAssistant(content="I look.", tool_calls=[call]))
        messages.append(model.ChatMessageTool(content=output, tool_call_id=str(number), function="bash"))
    messages.append(model.ChatMessageAssistant(content="Done."))
    sample = log.EvalSample(id=instance, epoch=1, input="u", target="", messages=messages)
    spec = log.EvalSpec(
        created="2026-01-01T00:00:00+00:00", task="t", dataset=log.EvalDataset(), model="m/x", config=log.EvalConfig()
    )
    path.parent.mkdir(parents=True, exist_ok=True)
    log.write_eval_log(log.EvalLog(eval=spec, samples=[sample], status="success"), str(path))
