"""The state after a call, read from a trajectory's lines."""

from __future__ import annotations

from typing import Any

import pytest

from harness.checkpoints.states import state_after
from harness.layer_store import EMPTY

START = {"type": "start", "task": "tiny-1", "horizon": 8}


def message(role: str, text: str) -> dict[str, Any]:
    return {"type": "message", "message": {"role": role, "content": text}}


def call(number: int, parsed: bool = True) -> dict[str, Any]:
    return {"type": "call", "call": number, "parsed": parsed, "cost_usd": 0.0}


def verdict(number: int, layer: str, state: str = "fail", **more: Any) -> dict[str, Any]:
    return {"type": "verdict", "call": number, "action": 0, "layer": layer, "state": state, **more}


LINES = [
    START, message("system", "s"), message("user", "u"),
    call(1), message("assistant", "one"), verdict(1, "a", scratch={"tmp": "t"}, obligations={"x": True, "y": False}),
    message("tool", "1"),
    call(2, parsed=False), message("user", "what?"),
    call(3, parsed=False), message("user", "again?"),
    call(4), message("assistant", "four"), verdict(4, "a", scratch={}), verdict(4, "b", scratch={"home": "h"}),
    message("tool", "4"), message("exit", "horizon"), {"type": "end", "event": "censored"},
]  # fmt: skip


def contents(state: Any) -> list[str]:
    return [one["content"] for one in state.messages]


@pytest.mark.parametrize(
    "after, layer, said, malformed, changed",
    [
        (0, EMPTY.digest, ["s", "u"], 0, 0),
        (1, "a", ["s", "u", "one", "1"], 0, 1),
        (2, "a", ["s", "u", "one", "1", "what?"], 1, 1),
        (3, "a", ["s", "u", "one", "1", "what?", "again?"], 2, 1),
        (4, "b", ["s", "u", "one", "1", "what?", "again?", "four", "4"], 0, 4),
    ],
)
def test_state_after_each_call(after: int, layer: str, said: list[str], malformed: int, changed: int) -> None:
    state = state_after(LINES, after)
    assert (state.call, state.layer, state.malformed, state.changed_at) == (after, layer, malformed, changed)
    assert contents(state) == said


def test_the_last_state_is_that_of_the_end() -> None:
    assert state_after(LINES) == state_after(LINES, 4) == state_after(LINES, 99)
    assert state_after(LINES).scratch == {"home": "h"}
    assert state_after(LINES, 2).obligations == {"x": True, "y": False}
    assert state_after(LINES).actions == 3


def test_a_rewritten_conversation_is_kept_as_it_was_rewritten() -> None:
    lines = [*LINES[:7], {"type": "context", "kept": 1}, message("user", "anew"), call(2), message("assistant", "two")]
    assert contents(state_after(lines)) == ["s", "anew", "two"]


def test_older_trajectories_kept_no_scratch_and_executed_ones_no_conversation() -> None:
    old = [START, call(1), verdict(1, "a")]
    assert state_after(old).scratch is None
    executed = [{**START, "source": "run.json", "format": "x"}, call(1), message("assistant", "one"), verdict(1, "a")]
    assert state_after(executed).messages is None
