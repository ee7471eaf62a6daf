"""SWE-agent: ``.traj`` files. Its shell is one session; it keeps no return codes and no times of day."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from typing import Any

from harness.importers.plain import amount, items, mapping, text_of, whole
from harness.importers.record import Observation, Record, RecordedAction, RecordedCall, malformed
from harness.importers.tools import editor_command

#: Actions of the agent's own that change nothing in the workspace.
_OWN = re.compile(r"\A\s*(submit|exit_cost|exit_context|exit_format|exit_forfeit|review_on_submit_m)\b")
_REFUSED = re.compile(r"Your output was not formatted correctly|No tool call|did not use any tool calls", re.IGNORECASE)
_CUT_OFF = re.compile(r"(EXECUTION TIMED OUT|[Cc]ommand timed out|was cancelled because it took more than)")
_WITH_TOOLS = {"open", "goto", "scroll_down", "scroll_up", "edit", "create", "search_dir", "search_file", "find_file"}


def is_sweagent(data: Mapping[str, Any]) -> bool:
    """Whether ``data`` looks like such a trajectory."""
    return isinstance(data.get("trajectory"), list) and "info" in data


def read_sweagent(data: Mapping[str, Any], source: str, digest: str) -> Record:
    """The record of a trajectory; raises ``InputError``."""
    steps = [mapping(step) for step in items(data["trajectory"])]
    if not steps:
        raise malformed(source, "holds no step", "trajectory")
    info = mapping(data.get("info"))
    stats = mapping(info.get("model_stats"))
    calls = tuple(_call(step) for step in steps)
    config = _config(data.get("replay_config"))
    agent = mapping(config.get("agent"))
    seconds = amount(mapping(agent.get("tools")).get("execution_timeout"))
    return Record(
        source, digest, "swe-agent", re.sub(r"\.(traj|traj\.json|json)$", "", source),
        f"swe-agent-{info.get('swe_agent_version') or 'unknown'}",
        str(mapping(agent.get("model")).get("name") or "unknown"), calls, str(info.get("exit_status") or ""),
        shell="session", call_limit=whole(mapping(agent.get("model")).get("per_instance_call_limit")) or None,
        command_seconds=seconds or 60.0, cost_usd=amount(stats.get("instance_cost")),
    )  # fmt: skip


def _config(value: Any) -> Mapping[str, Any]:
    if isinstance(value, str):
        try:
            value = json.loads(value)
        except ValueError:
            return {}
    return mapping(value)


def _call(step: Mapping[str, Any]) -> RecordedCall:
    text = text_of(step.get("response")) or text_of(step.get("thought"))
    action, shown = text_of(step.get("action")), text_of(step.get("observation"))
    if not action.strip():
        return RecordedCall((), not _REFUSED.search(shown), text=text)
    if _OWN.match(action):
        return RecordedCall(text=text)
    first = action.split(maxsplit=1)[0]
    seen = Observation(None, shown, timed_out=bool(_CUT_OFF.search(shown)))
    if first in _WITH_TOOLS:  # of the line-based editor, whose state is in the agent
        return RecordedCall((RecordedAction(None, first, seen),), text=text)
    return RecordedCall((RecordedAction(editor_command(action), observation=seen),), text=text)
