"""The lines of a recorded trajectory as steps of an ATIF trajectory: one agent step per model call."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from datetime import UTC, datetime
from typing import Any

from harness.recorder import decode_output

Line = dict[str, Any]


def steps(lines: Iterable[Line], *, language_model: bool) -> Iterator[dict[str, Any]]:
    """Steps in order, without their numbers; holds the lines of one call at a time.

    A call becomes one agent step: the reply, its tool calls, and as observations what the agent saw of each action (the
    raw output where it saw nothing any more). The verdict after an action stands in the observation's ``extra``.

    Args:
        language_model: whether calls were answered by one; else ``llm_call_count`` is 0.
    """
    call: _Call | None = None
    failed: list[Line] = []
    for line in lines:
        kind = line.get("type")
        if kind == "failed_request":
            failed.append({key: line.get(key) for key in ("request", "reason", "status", "seconds")})
        elif kind == "call":
            if call:
                yield from call.steps(language_model)
            call, failed = _Call(line, failed), []
        elif kind == "message":
            message = line.get("message") or {}
            if call is None or not call.takes(message):
                if call:
                    yield from call.steps(language_model)
                    call = None
                if message.get("role") != "exit":
                    yield _spoken(message)
        elif kind in ("action", "verdict") and call:
            call.take(line)
        elif kind == "statement":
            if call:
                yield from call.steps(language_model)
                call = None
            yield _stated(line, language_model)
        elif kind in ("context", "agent_error", "intervention"):
            facts = {key: value for key, value in line.items() if key != "type"}
            if call:
                yield from call.steps(language_model)
                call = None
            yield {"source": "system", "message": "", "extra": {kind: facts}}
    if call:
        yield from call.steps(language_model)
    elif failed:
        yield {"source": "system", "message": "", "extra": {"failed_requests": failed}}


def text_of(content: Any) -> str:
    """A message's content as text: as it is, or the text parts of a list, others as JSON."""
    if content is None:
        return ""
    if isinstance(content, str):
        return content
    if isinstance(content, list):
        parts = [part.get("text") if isinstance(part, dict) else None for part in content]
        pairs = zip(parts, content, strict=True)
        return "\n".join(part if isinstance(part, str) else json.dumps(raw) for part, raw in pairs)
    return json.dumps(content)


def _spoken(message: Line) -> dict[str, Any]:
    source = {"system": "system", "assistant": "agent"}.get(str(message.get("role")), "user")
    step: dict[str, Any] = {"source": source, "message": text_of(message.get("content")), **_timestamp(message)}
    interrupt = (message.get("extra") or {}).get("interrupt_type")
    return step | ({"extra": {"interrupt": interrupt}} if interrupt else {})


def _stated(line: Line, language_model: bool) -> dict[str, Any]:
    """The answer to a monitor's question: a model call beside the agent's own."""
    step: dict[str, Any] = {"source": "agent", "message": line["answer"]}
    if language_model and isinstance(line.get("cost_usd"), int | float):
        step["metrics"] = {"cost_usd": line["cost_usd"]}
    facts = {key: line.get(key) for key in ("after", "question", "charged")}
    return step | {"llm_call_count": int(language_model), "extra": {"statement": facts}}


def _timestamp(message: Line) -> dict[str, str]:
    seconds = (message.get("extra") or {}).get("timestamp")
    if not isinstance(seconds, int | float):
        return {}
    return {"timestamp": datetime.fromtimestamp(seconds, UTC).isoformat(timespec="milliseconds")}


class _Call:
    """What belongs to one model call."""

    def __init__(self, line: Line, failed: list[Line]):
        self._line, self._failed = line, failed
        self._reply: Line | None = None
        self._after: list[Line] = []
        self._seen: dict[str, str] = {}
        self._actions: list[Line] = []
        self._verdicts: dict[int, Line] = {}

    def takes(self, message: Line) -> bool:
        """Whether ``message`` is the call's reply, or what the agent saw of its actions."""
        if self._reply is None and message.get("role") == "assistant":
            self._reply = message
            return True
        if self._reply is None and not self._line.get("parsed") and not self._after:
            self._after.append(message)  # the answer to a reply that did not parse; the reply is in its extra
            return True
        wanted = {call["id"] for call in _tool_calls(self._reply or {})}
        if message.get("role") == "tool" and message.get("tool_call_id") in wanted:
            self._seen[str(message["tool_call_id"])] = text_of(message.get("content"))
            return True
        return False

    def take(self, line: Line) -> None:
        """An action, or the verdict after it."""
        if line["type"] == "action":
            self._actions.append(line)
        else:
            self._verdicts[line["action"]] = line

    def steps(self, language_model: bool) -> Iterator[dict[str, Any]]:
        reply = self._reply
        if reply is None and self._after:
            reply = _malformed((self._after[0].get("extra") or {}).get("response"))
        reply = reply or {}
        extra = reply.get("extra") or (self._after[0].get("extra") if self._after else None) or {}
        calls = [
            {"tool_call_id": call["id"], "function_name": call["name"], "arguments": call["arguments"], **call["extra"]}
            for call in _tool_calls(reply)
        ]
        results = [self._result(number, line, calls, extra) for number, line in enumerate(self._actions)]
        step: dict[str, Any] = {"source": "agent", "message": text_of(reply.get("content")), **_timestamp(reply)}
        if isinstance(extra.get("model"), str):
            step["model_name"] = extra["model"]
        if isinstance(reply.get("reasoning_content"), str) and language_model:
            step["reasoning_content"] = reply["reasoning_content"]
        if calls:
            step["tool_calls"] = calls
        if results:
            step["observation"] = {"results": results}
        if language_model and (metrics := self._metrics(extra)):
            step["metrics"] = metrics
        step["llm_call_count"] = int(language_model)
        step["extra"] = {"call": self._line["call"], "parsed": bool(self._line.get("parsed"))}
        if self._failed:
            step["extra"]["failed_requests"] = self._failed
        yield step
        yield from map(_spoken, (message for message in self._after if message.get("role") != "exit"))

    def _result(self, number: int, line: Line, calls: list[Line], extra: Line) -> dict[str, Any]:
        """The observation of an action; a command that no tool call of the reply asked for gets a call of its own."""
        planned = extra.get("actions") or []
        asked = planned[number] if number < len(planned) and isinstance(planned[number], dict) else {}
        name = asked.get("tool_call_id")
        if asked.get("command") != line["command"] or name not in {call["tool_call_id"] for call in calls}:
            name = f"action_{line['call']}_{line['action']}"
            calls.append({"tool_call_id": name, "function_name": "bash", "arguments": {"command": line["command"]}})
        facts = {key: line[key] for key in ("action", "returncode", "seconds")}
        facts |= {key: line[key] for key in ("limit", "truncated_bytes", "background_left") if line.get(key)}
        if verdict := self._verdicts.get(line["action"]):
            facts["verdict"] = {key: verdict.get(key) for key in ("state", "cached", "seconds", "layer", "key")}
        seen = self._seen.get(str(name))
        content = decode_output(line).decode("utf-8", "replace") if seen is None else seen
        return {"source_call_id": name, "content": content, "extra": facts}

    def _metrics(self, extra: Line) -> dict[str, Any]:
        response = extra.get("response")
        usage = (response.get("usage") if isinstance(response, dict) else None) or {}
        found = {
            "prompt_tokens": usage.get("prompt_tokens"), "completion_tokens": usage.get("completion_tokens"),
            "cached_tokens": (usage.get("prompt_tokens_details") or {}).get("cached_tokens"),
            "cost_usd": self._line.get("cost_usd"),
        }  # fmt: skip
        return {key: value for key, value in found.items() if isinstance(value, int | float)}


def _malformed(response: Any) -> Line:
    """The message of a response that did not parse."""
    try:
        return dict(response["choices"][0]["message"])
    except (KeyError, IndexError, TypeError, ValueError):
        return {"content": response if isinstance(response, str) else None}


def _tool_calls(reply: Line) -> list[dict[str, Any]]:
    """Tool calls with arguments as an object; what is none is kept as text beside an empty one."""
    found = []
    for number, call in enumerate(reply.get("tool_calls") or []):
        function = (call.get("function") if isinstance(call, dict) else None) or {}
        raw, extra = function.get("arguments"), {}
        try:
            arguments = json.loads(raw) if isinstance(raw, str) else raw
        except ValueError:
            arguments = None
        if not isinstance(arguments, dict):
            arguments, extra = {}, {"extra": {"malformed_arguments": raw}}
        name = call.get("id") if isinstance(call, dict) else None
        known = {"id": str(name or f"call_{number}"), "name": str(function.get("name") or "")}
        found.append({**known, "arguments": arguments, "extra": extra})
    return found
