"""The agent's limits and reports, with scripted replies and an environment that records."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from harness.agents.agent import RecordedAgent
from harness.agents.interrupts import end_attempt, exit_message
from harness.agents.meter import Meter, tokens_of
from harness.models.replies import Reply, ReplyConfig, ReplyModel, acting
from harness.worktime import WorkTime

MALFORMED = Reply("Hm.", finish_reason="stop")


class Room:
    """An environment in which every command says its own name."""

    def __init__(self) -> None:
        self.ran: list[str] = []

    def execute(self, action: dict[str, Any], cwd: str = "") -> dict[str, Any]:
        self.ran.append(action["command"])
        if action["command"].startswith("end "):
            raise end_attempt(action["command"].removeprefix("end "))
        return {"output": action["command"], "returncode": 0, "exception_info": ""}

    def get_template_vars(self, **kwargs: Any) -> dict[str, Any]:
        return kwargs


def work(*replies: Reply, **changes: Any) -> tuple[str, list[tuple[int, bool]], list[str], list[str]]:
    """(status, calls as (number, parsed), commands that ran, roles of the messages); the last reply is repeated."""

    def endless() -> Iterator[Reply]:
        yield from replies
        while True:
            yield replies[-1]

    config = ReplyConfig(
        model_name="test", observation_template="{{ output.output }}", format_error_template="{{ error }}",
        seed="1", horizon=9,
    )  # fmt: skip
    calls: list[tuple[int, bool]] = []
    roles: list[str] = []
    limits = {"horizon": 9, "cost_limit": None, "token_limit": None, "work": WorkTime()}
    limits |= {name: value for name, value in changes.items() if name in limits}
    meter = Meter(lambda call, extra, parsed: calls.append((call, parsed)), **limits)
    settings = {name: value for name, value in changes.items() if name not in limits}
    room = Room()
    agent = RecordedAgent(
        ReplyModel(config, endless()), room, meter=meter, on_message=lambda message: roles.append(message["role"]),
        system_template="s", instance_template="{{ task }}", **settings,
    )  # fmt: skip
    status = str(agent.run(task="the issue")["exit_status"])
    return status, calls, room.ran, roles


def test_every_call_and_message_is_reported_as_it_happens() -> None:
    status, calls, ran, roles = work(acting("a", "one", "two"), MALFORMED, acting("b", "end verified"))
    assert status == "verified"
    assert calls == [(1, True), (2, False), (3, True)]
    assert ran == ["one", "two", "end verified"]
    assert roles == ["system", "user", "assistant", "tool", "tool", "user", "assistant", "exit"]


def test_an_end_in_the_middle_of_a_call_leaves_its_later_actions_out() -> None:
    assert work(acting("a", "one", "end submitted", "never"))[2] == ["one", "end submitted"]


@pytest.mark.parametrize("most", [1, 3, 5])
def test_the_format_error_rule_counts_runs(most: int) -> None:
    run = [MALFORMED] * (most - 1)
    status, made, _, _ = work(*run, acting("a", "x"), MALFORMED, max_consecutive_format_errors=most, horizon=20)
    assert status == "RepeatedFormatError"
    assert [parsed for _, parsed in made] == [False] * (most - 1) + [True] + [False] * most


@pytest.mark.parametrize(
    ("changes", "status", "calls"),
    [
        ({"horizon": 4}, "horizon", 4),
        ({"work": WorkTime(0.0)}, "wall_limit", 0),
        ({"cost_limit": 0.0}, "cost_limit", 0),
        ({"token_limit": 0}, "token_limit", 0),
        ({"cost_limit": 0.01, "horizon": 2}, "horizon", 2),
    ],
)
def test_limits_are_looked_at_before_each_call(changes: dict[str, Any], status: str, calls: int) -> None:
    ended, made, ran, _ = work(acting("a", "x"), **changes)
    assert (ended, len(made), len(ran)) == (status, calls, calls)


def test_tokens() -> None:
    assert tokens_of({"response": {"usage": {"total_tokens": 7}}}) == 7
    nothing: list[dict[str, Any]] = [
        {}, {"response": None}, {"response": "text"}, {"response": {}}, {"response": {"usage": None}},
        {"response": {"usage": {}}}, {"response": {"usage": {"total_tokens": None}}},
    ]  # fmt: skip
    assert [tokens_of(extra) for extra in nothing] == [0] * len(nothing)


def test_an_end_carries_its_status() -> None:
    assert end_attempt("horizon").messages == (exit_message("horizon"),)  # type: ignore[attr-defined]
