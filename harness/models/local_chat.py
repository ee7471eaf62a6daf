"""Translates between the OpenAI chat protocol with tools and a model that was never taught tools.

SmolLM2-135M's chat template has no place for tools, and left to itself the model never calls one. So the tools are
described in the system message, and the answer is begun for the model, up to the value of the tool's argument
(``<tool_call>{"name": "bash", "arguments": {"command": "``). From there on it writes freely. What parses is a tool
call; what does not is returned as plain text, which an agent counts as a format error. About half of the answers parse,
so a real model exercises both paths.
"""

from __future__ import annotations

import hashlib
import json
from typing import Any

OPEN, CLOSE = "<tool_call>", "</tool_call>"
#: Passed on to the model as they came; everything else in a request is ignored.
SAMPLING = ("temperature", "top_p", "top_k", "seed", "max_tokens", "max_completion_tokens", "stop")


def to_native(request: dict[str, Any]) -> dict[str, Any]:
    """The request for the bare model: text-only messages, and the begun answer if the request brings tools.

    Raises:
        ValueError: the request has no messages, one of them is malformed, or it asks for streaming.
    """
    if request.get("stream"):
        raise ValueError("streaming is not supported")
    messages = request.get("messages")
    if not isinstance(messages, list) or not messages:
        raise ValueError("messages: a non-empty list is needed")
    tools = _tools(request)
    native = [_plain(message) for message in messages]
    if tools:
        if native[0]["role"] != "system":
            native.insert(0, {"role": "system", "content": "You are a helpful assistant."})
        native[0]["content"] += _describe(tools)
        native.append({"role": "assistant", "content": _begin(tools[0])})
    settings = {key: request[key] for key in SAMPLING if request.get(key) is not None}
    if tools:
        stop = settings.get("stop", [])
        # JSON strings hold no raw line break: a new line is the end of the call, or of any hope for it.
        settings["stop"] = [CLOSE, "\n", *([stop] if isinstance(stop, str) else stop)]
    return {"messages": native, **settings}


def from_native(response: dict[str, Any], request: dict[str, Any]) -> dict[str, Any]:
    """The response in OpenAI's form; a begun tool call that parses is moved from the text to ``tool_calls``."""
    if not _tools(request):
        return response
    for choice in response["choices"]:
        message = choice["message"]
        call = _parse(message.get("content") or "")
        if call is not None:
            number = hashlib.sha256(f"{response['id']}/{choice['index']}".encode()).hexdigest()[:24]
            message["content"] = None
            message["tool_calls"] = [{"id": f"call_{number}", "type": "function", "function": call}]
            choice["finish_reason"] = "tool_calls"
    return response


def _tools(request: dict[str, Any]) -> list[dict[str, Any]]:
    if request.get("tool_choice") == "none":
        return []
    return [tool["function"] for tool in request.get("tools") or [] if tool.get("type") == "function"]


def _describe(tools: list[dict[str, Any]]) -> str:
    lines = "\n".join(json.dumps(tool, ensure_ascii=False) for tool in tools)
    example = '{"name": ..., "arguments": {...}}'
    return f"\n\nTools:\n{lines}\nTo use one, answer with\n{OPEN}\n{example}\n{CLOSE}"


def _begin(tool: dict[str, Any]) -> str:
    """The start of a call of ``tool``, up to the value of its first required argument."""
    start = f'{OPEN}\n{{"name": {json.dumps(tool["name"])}, "arguments": {{"'
    required = tool.get("parameters", {}).get("required") or []
    return f'{start}{required[0]}": "' if required else start


def _plain(message: Any) -> dict[str, str]:
    """One message as role and text: earlier tool calls and their results in the form that the model is asked for."""
    if not isinstance(message, dict) or message.get("role") not in ("system", "user", "assistant", "tool"):
        raise ValueError(f"messages: not a message: {message!r:.80}")
    content = message.get("content") or ""
    if isinstance(content, list):
        content = "\n".join(part.get("text", "") for part in content if isinstance(part, dict))
    if message["role"] == "tool":
        return {"role": "user", "content": f"<tool_response>\n{content}\n</tool_response>"}
    for call in message.get("tool_calls") or []:
        function = call["function"]
        shown = f'{{"name": {json.dumps(function["name"])}, "arguments": {function["arguments"]}}}'
        content += f"{OPEN}\n{shown}\n{CLOSE}"
    return {"role": message["role"], "content": content}


def _parse(text: str) -> dict[str, str] | None:
    """Name and arguments (as JSON text) of the tool call that ``text`` starts with; None if it is not one."""
    try:
        value, _ = json.JSONDecoder().raw_decode(text.removeprefix(OPEN).lstrip())
    except ValueError:
        return None
    if not isinstance(value, dict) or not isinstance(value.get("name"), str):
        return None
    return {"name": value["name"], "arguments": json.dumps(value.get("arguments"), ensure_ascii=False)}
