"""mini-swe-agent: formats 1 (releases 1.x) and 1.1 (2.x), with actions in text or as tool calls."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from harness.importers.plain import amount, items, mapping, moment, text_of, whole
from harness.importers.record import Observation, Record, RecordedAction, RecordedCall, malformed

_FENCE = re.compile(r"```bash\s*\n(.*?)\n```", re.DOTALL)
_SENTINEL = re.compile(r"COMPLETE_TASK_AND_SUBMIT_FINAL_OUTPUT|MINI_SWE_AGENT_FINAL_OUTPUT")
_RETURNCODE = re.compile(r"\A<returncode>(-?\d+)</returncode>\n?")
_OUTPUT = re.compile(r"<output>\n?(.*)</output>\s*\Z", re.DOTALL)
_CUT = re.compile(
    r"<output_head>\n?(.*)\n</output_head>\s*<elided_chars>\s*(\d+) characters elided\s*</elided_chars>\s*"
    r"<output_tail>\n?(.*)\n</output_tail>\s*\Z",
    re.DOTALL,
)
_TIMEOUT = re.compile(r"\AThe last command <command>.*</command> timed out", re.DOTALL)
_TIMEOUT_OUTPUT = re.compile(r"The output of the command was:\s*<output>\n(.*)\n</output>", re.DOTALL)


def is_miniswe(data: Mapping[str, Any]) -> bool:
    """Whether ``data`` says that it is such a trajectory."""
    return str(data.get("trajectory_format", "")).startswith("mini-swe-agent-")


def read_miniswe(data: Mapping[str, Any], source: str, digest: str) -> Record:
    """The record of a trajectory; raises ``InputError``."""
    version = str(data["trajectory_format"]).removeprefix("mini-swe-agent-")
    readers = {"1": _calls_1, "1.1": _calls_1_1}
    if version not in readers:
        raise malformed(source, f"is of format {version!r}; known: {', '.join(readers)}", "trajectory_format")
    messages = [mapping(message) for message in items(data.get("messages"))]
    if not any(message.get("role") == "assistant" for message in messages):
        raise malformed(source, "holds no reply of a model", "messages")
    info = mapping(data.get("info"))
    config = mapping(info.get("config"))
    agent, environment = mapping(config.get("agent")), mapping(config.get("environment"))
    calls = tuple(readers[version](messages))
    stated = whole(mapping(info.get("model_stats")).get("api_calls"))
    if stated is not None and len(calls) < stated and version == "1":
        raise malformed(source, f"has {len(calls)} replies of {stated} calls: it is cut off", "messages")
    variables = mapping(environment.get("env"))
    return Record(
        source, digest, f"mini-swe-agent-{version}", _instance(data, source), f"mini-swe-agent-{_release(info)}",
        str(mapping(config.get("model")).get("model_name") or "unknown"), calls, str(info.get("exit_status") or ""),
        call_limit=whole(agent.get("step_limit")) or None, command_seconds=amount(environment.get("timeout")) or 60.0,
        cost_usd=amount(mapping(info.get("model_stats")).get("instance_cost")),
        environment={str(name): value for name, value in variables.items() if isinstance(value, str)},
    )  # fmt: skip


def _release(info: Mapping[str, Any]) -> str:
    return str(info.get("mini_version") or "unknown")


def _instance(data: Mapping[str, Any], source: str) -> str:
    return str(data.get("instance_id") or re.sub(r"(\.traj)?\.json$", "", source))


def _calls_1(messages: Sequence[Mapping[str, Any]]) -> Iterator[RecordedCall]:
    """Format 1: every reply is a message; an action is the only ```bash fence of a reply."""
    for index, message in enumerate(messages):
        if message.get("role") != "assistant":
            continue
        extra = mapping(message.get("extra"))
        response = mapping(extra.get("response"))
        cost = amount(extra.get("cost"))
        if cost is None:
            cost = amount(mapping(response.get("usage")).get("cost"))
        content = text_of(message.get("content"))
        found = _FENCE.findall(content)
        actions: tuple[RecordedAction, ...] = ()
        if len(found) == 1:
            shown = messages[index + 1] if index + 1 < len(messages) else {}
            seen = _observation_1(text_of(shown.get("content"))) if shown.get("role") == "user" else None
            actions = (RecordedAction(found[0].strip(), observation=seen),)
        yield RecordedCall(actions, len(found) == 1, cost, moment(response.get("created")), content)


def _observation_1(content: str) -> Observation:
    code = _RETURNCODE.match(content)
    if not code:
        if _TIMEOUT.match(content):
            said = _TIMEOUT_OUTPUT.search(content)
            return Observation(None, said[1] if said else None, timed_out=True)
        return Observation(0, content, submission=True)
    rest, number = content[code.end() :], int(code[1])
    if cut := _CUT.search(rest):
        return Observation(number, None, cut[1], cut[3], int(cut[2]))
    whole_output = _OUTPUT.search(rest)
    return Observation(number, whole_output[1] if whole_output else None)


def _calls_1_1(messages: Sequence[Mapping[str, Any]]) -> Iterator[RecordedCall]:
    """Format 1.1: actions and raw outputs stand in ``extra``; a malformed reply leaves only the complaint."""
    for index, message in enumerate(messages):
        extra = mapping(message.get("extra"))
        cost, at = amount(extra.get("cost")), moment(extra.get("timestamp"))
        if message.get("role") != "assistant":
            if extra.get("interrupt_type") == "FormatError":
                yield RecordedCall((), False, cost, at, str(extra.get("model_response") or ""))
            continue
        wanted = [mapping(action) for action in items(extra.get("actions"))]
        yield RecordedCall(tuple(_actions_1_1(wanted, messages[index + 1 :])), True, cost, at,
                           text_of(message.get("content")))  # fmt: skip


def _actions_1_1(
    wanted: Sequence[Mapping[str, Any]], after: Sequence[Mapping[str, Any]]
) -> Iterator[RecordedAction]:
    shown = [mapping(message.get("extra")) for message in after[: len(wanted)] if message.get("role") != "assistant"]
    seen = [extra for extra in shown if "raw_output" in extra or "returncode" in extra]
    submitted = not seen and bool(after) and after[0].get("role") == "exit"
    for number, action in enumerate(wanted):
        command = str(action.get("command", ""))
        if number < len(seen):
            if seen[number].get("exception_info") == "action was not executed":
                return
            yield RecordedAction(command, observation=_observation_1_1(seen[number]))
            continue
        if submitted and _SENTINEL.search(command):  # what stood behind it in the same reply was not run
            submission = str(mapping(after[0].get("extra")).get("submission") or "")
            yield RecordedAction(command, observation=Observation(0, submission, submission=True))
            return
        yield RecordedAction(command)


def _observation_1_1(extra: Mapping[str, Any]) -> Observation:
    timed_out = "timed out" in str(extra.get("exception_info") or "")
    output = extra.get("raw_output")
    return Observation(
        None if timed_out else whole(extra.get("returncode")), output if isinstance(output, str) else None,
        timed_out=timed_out,
    )  # fmt: skip
