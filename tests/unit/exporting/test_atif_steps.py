"""Lines of a trajectory as ATIF steps."""

from __future__ import annotations

import json
from itertools import pairwise
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from harness.exporting.atif import _split
from harness.exporting.atif_steps import steps, text_of
from harness.recorder import encode_output


def said(role: str, content: Any, **more: Any) -> dict[str, Any]:
    return {"type": "message", "message": {"role": role, "content": content, **more}}


def call(number: int, parsed: bool = True, cost: float | None = 0.5) -> dict[str, Any]:
    return {"type": "call", "call": number, "parsed": parsed, "cost_usd": cost}


def reply(text: str, *commands: tuple[str, str], **extra: Any) -> dict[str, Any]:
    """An assistant's message that asks for (id, command)."""
    calls = [
        {"id": name, "type": "function", "function": {"name": "bash", "arguments": json.dumps({"command": command})}}
        for name, command in commands
    ]
    actions = [{"tool_call_id": name, "command": command} for name, command in commands]
    return said("assistant", text, tool_calls=calls or None, extra={"actions": actions, "model": "m-1", **extra})


def action(number: int, index: int, command: str, output: bytes = b"out", **more: Any) -> dict[str, Any]:
    facts = {"returncode": 0, "seconds": 0.1, "limit": None, "truncated_bytes": 0, "background_left": False, **more}
    return {"type": "action", "call": number, "action": index, "command": command, **facts, **encode_output(output)}


def verdict(number: int, index: int, state: str) -> dict[str, Any]:
    secret = {"tests": {"test_secret": "fail"}, "detail": "hidden words"}
    return {
        "type": "verdict", "call": number, "action": index, "state": state, "cached": False, "seconds": 0.2,
        "layer": "ab", **secret,
    }  # fmt: skip


def made(*lines: dict[str, Any], language_model: bool = True) -> list[dict[str, Any]]:
    return list(steps(lines, language_model=language_model))


def test_a_call_with_two_actions_is_one_step() -> None:
    usage = {"prompt_tokens": 9, "completion_tokens": 2, "prompt_tokens_details": {"cached_tokens": 4}}
    found = made(
        said("system", "S"), said("user", "U"), call(1),
        reply("I do.", ("a", "one"), ("b", "two"), response={"usage": usage}, timestamp=0.5),
        action(1, 0, "one"), verdict(1, 0, "fail"), action(1, 1, "two", limit="memory"), verdict(1, 1, "pass"),
        said("tool", "what it saw", tool_call_id="a"), said("exit", "verified"), {"type": "end", "event": "verified"},
    )  # fmt: skip
    assert [(step["source"], step["message"]) for step in found] == [("system", "S"), ("user", "U"), ("agent", "I do.")]
    step = found[2]
    assert step["timestamp"] == "1970-01-01T00:00:00.500+00:00"
    assert step["tool_calls"][1] == {"tool_call_id": "b", "function_name": "bash", "arguments": {"command": "two"}}
    first, second = step["observation"]["results"]
    assert (first["content"], second["content"]) == ("what it saw", "out")  # the second ended the attempt
    assert [result["extra"]["verdict"]["state"] for result in (first, second)] == ["fail", "pass"]
    assert second["extra"]["limit"] == "memory" and "limit" not in first["extra"]
    assert step["metrics"] == {"prompt_tokens": 9, "completion_tokens": 2, "cached_tokens": 4, "cost_usd": 0.5}
    assert step["llm_call_count"] == 1 and step["extra"] == {"call": 1, "parsed": True}
    assert "secret" not in str(found) and "hidden words" not in str(found)


def test_unknown_costs_stay_away_and_instruments_have_no_metrics() -> None:
    (step,) = made(call(1, cost=None), reply("x", response={"usage": {"prompt_tokens": 1}}))
    assert step["metrics"] == {"prompt_tokens": 1}
    (step,) = made(call(1), reply("x"), language_model=False)
    assert "metrics" not in step and step["llm_call_count"] == 0


def test_a_malformed_reply_is_a_step_before_its_complaint() -> None:
    broken = {"content": "Hm.", "tool_calls": [{"id": "z", "function": {"name": "bash", "arguments": "{not"}}]}
    extra = {"interrupt_type": "FormatError", "response": {"choices": [{"message": broken}]}, "model": "m-1"}
    first, second, third = made(
        call(1, parsed=False), said("user", "Tool call error", extra=extra), call(2), reply("better")
    )
    assert (first["source"], first["message"], first["extra"]) == ("agent", "Hm.", {"call": 1, "parsed": False})
    assert first["tool_calls"][0]["arguments"] == {}
    assert first["tool_calls"][0]["extra"] == {"malformed_arguments": "{not"}
    assert (second["source"], second["message"]) == ("user", "Tool call error")
    assert third["message"] == "better"


def test_commands_that_no_tool_call_asked_for_get_one() -> None:
    (step,) = made(call(1), said("assistant", "", extra={"actions": []}), action(1, 0, "mine"), action(1, 1, "too"))
    assert [one["arguments"]["command"] for one in step["tool_calls"]] == ["mine", "too"]
    assert [one["source_call_id"] for one in step["observation"]["results"]] == ["action_1_0", "action_1_1"]


def test_failed_requests_stand_at_their_call() -> None:
    failed = {"type": "failed_request", "request": 1, "reason": "timeout", "status": None, "seconds": 3.0}
    (step,) = made(failed, failed, call(1), reply("x"))
    assert [one["reason"] for one in step["extra"]["failed_requests"]] == ["timeout"] * 2
    (alone,) = made(failed, {"type": "lost", "reason": "provider_outage"})
    assert alone["source"] == "system" and alone["extra"]["failed_requests"][0]["request"] == 1


def test_texts_of_messages() -> None:
    assert text_of(None) == ""
    assert text_of([{"type": "text", "text": "a"}, {"type": "image"}]) == 'a\n{"type": "image"}'


LINES = st.lists(
    st.one_of(
        st.builds(said, st.sampled_from(["system", "user", "assistant", "tool", "exit"]), st.text(max_size=5)),
        st.builds(call, st.integers(1, 9), st.booleans()),
        st.builds(lambda name: reply("r", (name, "c")), st.sampled_from("ab")),
        st.builds(action, st.integers(1, 9), st.integers(0, 2), st.sampled_from("cd"), st.binary(max_size=5)),
        st.builds(verdict, st.integers(1, 9), st.integers(0, 2), st.just("fail")),
    ),
    max_size=12,
)


@given(LINES)
def test_whatever_was_recorded_makes_steps_that_hold_together(lines: list[dict[str, Any]]) -> None:
    """Torn or odd records too: one agent step per call line, every observation with its tool call."""
    found = made(*lines)
    assert sum("call" in step.get("extra", {}) for step in found) == sum(line["type"] == "call" for line in lines)
    for step in found:
        names = {one["tool_call_id"] for one in step.get("tool_calls", [])}
        assert all(one["source_call_id"] in names for one in step.get("observation", {}).get("results", []))
        assert step["source"] == "agent" or "tool_calls" not in step


@given(st.binary(max_size=40), st.lists(st.integers(0, 40)))
def test_lines_survive_any_cut_of_the_stream(data: bytes, cuts: list[int]) -> None:
    places = sorted({0, len(data), *(cut for cut in cuts if cut <= len(data))})
    chunks = [data[a:b] for a, b in pairwise(places)]
    whole = data.split(b"\n")[:-1]  # what a kill cut off is no line
    assert list(_split(chunks)) == [line + b"\n" for line in whole]
