"""ATIF, the trajectory format of Harbor and others: steps with tool calls and observations."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping
from typing import Any

from harness.importers.plain import amount, items, mapping, moment, text_of, whole
from harness.importers.record import Observation, Record, RecordedAction, RecordedCall, malformed
from harness.importers.tools import as_command

_RETURNCODE = re.compile(
    r"<returncode>(-?\d+)</returncode>|\[(?:exit code|returncode): (-?\d+)\]|\"returncode\": (-?\d+)"
)
_SESSIONS = ("terminus", "openhands", "swe-agent")

#: Content of a file that lies beside the trajectory (or above it), None when there is none.
Beside = Callable[[str], bytes | None]


def is_atif(data: Mapping[str, Any]) -> bool:
    """Whether ``data`` says that it is such a trajectory."""
    return str(data.get("schema_version", "")).startswith("ATIF-")


def read_atif(data: Mapping[str, Any], source: str, digest: str, beside: Beside) -> Record:
    """The record of a trajectory; task, end and verdict come from the trial's ``result.json`` if it is there.

    Raises:
        InputError: it is damaged, or nothing names its task.
    """
    steps = [mapping(step) for step in items(data.get("steps"))]
    calls = tuple(_call(step) for step in steps if step.get("source") == "agent")
    if not calls:
        raise malformed(source, "holds no step of an agent", "steps")
    agent = mapping(data.get("agent"))
    trial = _trial(beside)
    name = str(agent.get("name") or "unknown")
    extra = mapping(data.get("extra"))
    own = mapping(extra.get("restartlab"))  # of our own exports
    instance = str(trial.get("task_name") or extra.get("instance_id") or own.get("task") or _named(source))
    if not instance:
        raise malformed(source, "names no task, and no result.json of its trial is beside it", "extra.instance_id")
    total = amount(mapping(data.get("final_metrics")).get("total_cost_usd"))
    return Record(
        source, digest, str(data["schema_version"]), instance.rpartition("/")[2],
        f"{name}-{agent.get('version') or 'unknown'}", str(agent.get("model_name") or "unknown"), calls,
        _ending(trial), shell="session" if name.lower().startswith(_SESSIONS) else "fresh", cost_usd=total,
        command_seconds=120.0, passed=_passed(trial),
    )  # fmt: skip


def _named(source: str) -> str:
    stem = re.sub(r"(\.trajectory|\.traj|\.atif)?\.json$", "", source)
    return "" if stem.startswith("trajectory") else stem


def _trial(beside: Beside) -> Mapping[str, Any]:
    for place in ("result.json", "../result.json"):
        found = beside(place)
        if found is not None:
            try:
                return mapping(json.loads(found))
            except ValueError:
                continue
    return {}


def _ending(trial: Mapping[str, Any]) -> str:
    """An agent that ended by itself handed its work in; a trial without a record of its end may have been cut off."""
    if not trial:
        return "submitted"
    return str(mapping(trial.get("exception_info")).get("exception_type") or "submitted")


def _passed(trial: Mapping[str, Any]) -> bool | None:
    rewards = mapping(mapping(trial.get("verifier_result")).get("rewards"))
    reward = amount(rewards.get("reward"))
    return None if reward is None else reward >= 1


def _call(step: Mapping[str, Any]) -> RecordedCall:
    results = [mapping(result) for result in items(mapping(step.get("observation")).get("results"))]
    by_call = {result.get("source_call_id"): result for result in results}
    actions = []
    for number, called in enumerate(mapping(one) for one in items(step.get("tool_calls"))):
        tool = str(called.get("function_name") or "unknown")
        shown = by_call.get(called.get("tool_call_id")) or (results[number] if number < len(results) else None)
        arguments = called.get("arguments")
        if isinstance(arguments, str):
            try:
                arguments = json.loads(arguments)
            except ValueError:
                arguments = {}
        if tool in ("mark_task_complete", "task_complete", "submit", "finish", "think"):
            continue
        command = as_command(tool, mapping(arguments))
        actions.append(RecordedAction(command, tool, _observation(shown) if shown else None))
    cost = amount(mapping(step.get("metrics")).get("cost_usd"))
    stated = mapping(step.get("extra")).get("parsed")
    parsed = stated if isinstance(stated, bool) else True
    return RecordedCall(tuple(actions), parsed, cost, moment(step.get("timestamp")), text_of(step.get("message")))


def _observation(result: Mapping[str, Any]) -> Observation:
    content = text_of(result.get("content"))
    code = _RETURNCODE.search(content)
    number = whole(mapping(result.get("extra")).get("returncode"))
    if number is None and code:
        number = next(int(group) for group in code.groups() if group)
    inside = re.search(r"<output>\n?(.*)</output>", content, re.DOTALL)
    return Observation(number, inside[1] if inside else content)
