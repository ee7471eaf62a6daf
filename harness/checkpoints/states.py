"""The state of an attempt after a call, as its trajectory tells it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

from harness.layer_store import EMPTY


@dataclass
class State:
    """What an attempt had become after a call.

    ``layer``: digest of the workspace's layer. ``scratch``: of /tmp and home, None when they were not kept.
    ``messages``: the conversation, None when the trajectory does not hold it as the agent saw it. ``malformed``:
    consecutive malformed calls at its end. ``verdict``, ``obligations``: of the last verdict, None and {} before one.
    """

    call: int = 0
    layer: str = EMPTY.digest
    scratch: dict[str, str] | None = field(default_factory=dict)
    messages: list[dict[str, Any]] | None = field(default_factory=list)
    malformed: int = 0
    verdict: str | None = None
    obligations: dict[str, bool | None] = field(default_factory=dict)
    actions: int = 0
    """Actions so far."""
    changed_at: int = 0
    """Call of the last action that changed the workspace."""


def state_after(lines: Iterable[Mapping[str, Any]], call: int | None = None) -> State:
    """The state after ``call``, all its actions included; None: after the last one.

    A trajectory that ends earlier gives its last state; compare ``State.call``.
    """
    state = State()
    for line in lines:
        kind = line.get("type")
        if kind == "call":
            if call is not None and line["call"] > call:
                break
            state.call = line["call"]
            state.malformed = 0 if line.get("parsed") else state.malformed + 1
        elif kind == "start" and "source" in line:  # executed again: its record keeps no conversation as it was
            state.messages = None
        elif kind == "verdict":
            _judged(state, line)
        elif kind == "message" and state.messages is not None:
            if line["message"].get("role") != "exit":
                state.messages.append(line["message"])
        elif kind == "context" and state.messages is not None:
            del state.messages[line["kept"] :]
    return state


def _judged(state: State, line: Mapping[str, Any]) -> None:
    state.actions += 1
    if line["layer"] != state.layer:
        state.changed_at = state.call
    state.layer, state.scratch = line["layer"], line.get("scratch")
    state.verdict, state.obligations = line["state"], dict(line.get("obligations") or {})
