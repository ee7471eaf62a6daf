"""Made-up lines of trajectories: what a recorder writes of an attempt, as far as monitors look at it."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

from hypothesis import strategies as st

from harness.monitors.prefix import UNTOUCHED

Line = dict[str, Any]


def start(horizon: int = 20) -> list[Line]:
    return [
        {"type": "start", "task": "t-1", "horizon": horizon},
        {"type": "message", "message": {"role": "system", "content": "You are helpful."}},
        {"type": "message", "message": {"role": "user", "content": "Repair it."}},
    ]


def call(
    number: int, commands: Sequence[tuple[str, str]] = (), *, parsed: bool = True, statement: str | None = None,
    charged: bool = False, passed: bool = False,
) -> list[Line]:  # fmt: skip
    """The lines of one call; ``commands`` are (command, name of the workspace's content after it)."""
    lines: list[Line] = [{"type": "call", "call": number, "parsed": parsed, "cost_usd": 0.0}]
    if parsed:
        asked = [
            {"id": f"c{number}{i}", "function": {"name": "bash", "arguments": json.dumps({"command": c})}}
            for i, (c, _) in enumerate(commands)
        ]
        actions = [{"command": c, "tool_call_id": f"c{number}{i}"} for i, (c, _) in enumerate(commands)]
        reply = {"role": "assistant", "content": "Next.", "tool_calls": asked, "extra": {"actions": actions}}
        lines.append({"type": "message", "message": reply})
    else:
        response = {"choices": [{"message": {"role": "assistant", "content": "No tool."}}]}
        refusal = {"role": "user", "content": "Use a tool.", "extra": {"response": response}}
        lines.append({"type": "message", "message": refusal})
    for i, (command, state) in enumerate(commands):
        lines.append({"type": "action", "call": number, "action": i, "command": command, "returncode": 0,
                      "seconds": 0.1, "output": "out\n"})  # fmt: skip
        lines.append({"type": "verdict", "call": number, "action": i, "layer": state, "key": state, "cached": False,
                      "state": "pass" if passed else "fail", "seconds": 0.1, "tests": {}, "obligations": {},
                      "detail": ""})  # fmt: skip
    for i, (command, _) in enumerate(commands):
        lines.append({"type": "message", "message": {"role": "tool", "tool_call_id": f"c{number}{i}",
                                                     "content": f"out of {command}"}})  # fmt: skip
    if statement is not None:
        lines.append({"type": "statement", "after": number, "question": "?", "answer": statement, "charged": charged,
                      "cost_usd": 0.0, "seconds": 0.1})  # fmt: skip
    return lines


_STATES = st.sampled_from([UNTOUCHED, "a", "b"])
_CALL = st.tuples(
    st.booleans(), st.lists(st.tuples(st.sampled_from(["ls", "cat x", "make"]), _STATES), max_size=2),
    st.sampled_from(["CONFIDENCE: 20", "CONFIDENCE: 93.5 %", "I cannot say."]), st.booleans(),
)  # fmt: skip


def attempts(most: int = 12) -> st.SearchStrategy[list[list[Line]]]:
    """Calls of attempts of up to ``most`` calls, each the lines of one call; every one has been asked."""
    made = st.lists(_CALL, min_size=1, max_size=most)
    return made.map(
        lambda calls: [
            call(n, commands if parsed else (), parsed=parsed, statement=said, passed=passed)
            for n, (parsed, commands, said, passed) in enumerate(calls, 1)
        ]
    )


def joined(calls: Sequence[Sequence[Line]], horizon: int = 20) -> list[Line]:
    """The lines of a whole attempt."""
    return [*start(horizon), *(line for lines in calls for line in lines)]
