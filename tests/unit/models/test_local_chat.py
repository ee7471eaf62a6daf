"""The translation between OpenAI tools and a text-only model, without the model."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from harness.models.local_chat import CLOSE, OPEN, from_native, to_native

BASH = {
    "type": "function",
    "function": {
        "name": "bash",
        "parameters": {"type": "object", "properties": {"command": {"type": "string"}}, "required": ["command"]},
    },
}
BEGUN = f'{OPEN}\n{{"name": "bash", "arguments": {{"command": "'


def response(text: str) -> dict[str, Any]:
    message = {"role": "assistant", "content": text}
    return {"id": "chatcmpl-1", "choices": [{"index": 0, "finish_reason": "stop", "message": message}]}


def request(**more: Any) -> dict[str, Any]:
    return {"messages": [{"role": "system", "content": "S"}, {"role": "user", "content": "U"}], "tools": [BASH], **more}


def test_the_answer_is_begun_and_the_tool_described() -> None:
    native = to_native(request(seed=7, temperature=0.7, max_tokens=256, parallel_tool_calls=True))
    system, user, begun = native["messages"]
    assert system["content"].startswith("S\n\nTools:\n")
    assert json.dumps(BASH["function"]) in system["content"]
    assert (user, begun) == ({"role": "user", "content": "U"}, {"role": "assistant", "content": BEGUN})
    assert (native["seed"], native["temperature"], native["max_tokens"]) == (7, 0.7, 256)
    assert native["stop"] == [CLOSE, "\n"]
    assert "tools" not in native
    assert "parallel_tool_calls" not in native


@pytest.mark.parametrize("without", [{"tools": None}, {"tools": []}, {"tool_choice": "none"}])
def test_without_tools_nothing_is_added(without: dict[str, Any]) -> None:
    plain = request(**without)
    assert to_native(plain) == {"messages": plain["messages"]}
    assert from_native(response(BEGUN + 'ls"}}'), plain)["choices"][0]["message"]["content"] == BEGUN + 'ls"}}'


@given(st.text(max_size=200))
def test_any_command_comes_back_as_it_was_written(command: str) -> None:
    text = BEGUN + json.dumps(command)[1:] + "}}"
    (choice,) = from_native(response(text), request())["choices"]
    (call,) = choice["message"]["tool_calls"]
    assert call["function"]["name"] == "bash"
    assert json.loads(call["function"]["arguments"]) == {"command": command}
    assert (choice["finish_reason"], choice["message"]["content"]) == ("tool_calls", None)


@pytest.mark.parametrize("rest", ["ls", 'ls"}', "ls\nrm", 'ls"}, {', ""])
def test_what_does_not_parse_stays_text(rest: str) -> None:
    (choice,) = from_native(response(BEGUN + rest), request())["choices"]
    assert choice["message"] == {"role": "assistant", "content": BEGUN + rest}
    assert choice["finish_reason"] == "stop"


def test_earlier_calls_and_results_become_text_in_the_same_form() -> None:
    call = {"id": "call_1", "type": "function", "function": {"name": "bash", "arguments": '{"command": "ls"}'}}
    history = [
        {"role": "user", "content": [{"type": "text", "text": "U"}]},
        {"role": "assistant", "content": None, "tool_calls": [call]},
        {"role": "tool", "tool_call_id": "call_1", "content": "a.py"},
    ]
    system, user, asked, told, _ = to_native({"messages": history, "tools": [BASH]})["messages"]
    assert system["role"] == "system"
    assert user["content"] == "U"
    assert asked["content"] == f'{OPEN}\n{{"name": "bash", "arguments": {{"command": "ls"}}}}\n{CLOSE}'
    assert told == {"role": "user", "content": "<tool_response>\na.py\n</tool_response>"}


@pytest.mark.parametrize("bad", [{}, {"messages": []}, {"messages": ["x"]}, {"messages": [{"role": "x"}]}])
def test_a_malformed_request_is_refused(bad: dict[str, Any]) -> None:
    with pytest.raises(ValueError, match="messages"):
        to_native(bad)
    with pytest.raises(ValueError, match="streaming"):
        to_native(request(stream=True))
