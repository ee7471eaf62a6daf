"""Agents of other packages: what they ask and do is counted and recorded; they cannot change how an attempt ends."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

import pytest
from sums_package import blocks

from harness.agents.interrupts import AttemptLost, end_attempt
from harness.agents.meter import Meter
from harness.agents.visiting import TurnModel, visit
from harness.models.replies import Reply, ReplyConfig, ReplyModel, acting
from harness.worktime import WorkTime

MALFORMED = Reply("Hm.", finish_reason="stop")
ACT = {"command": "x"}


class Room:
    """An environment that ends the attempt at ``end STATUS`` and loses it at ``lose``."""

    config = None

    def __init__(self) -> None:
        self.ran: list[str] = []

    def execute(self, action: dict[str, Any]) -> dict[str, Any]:
        self.ran.append(action["command"])
        word, _, status = action["command"].partition(" ")
        if word == "end":
            raise end_attempt(status)
        if word == "lose":
            raise AttemptLost("sandbox_lost", "gone")
        return {"output": word, "returncode": 0, "exception_info": ""}

    def get_template_vars(self, **kwargs: Any) -> dict[str, Any]:
        return kwargs

    def serialize(self) -> dict[str, Any]:
        return {}


@dataclass
class Visit:
    """What was recorded of a visit."""

    calls: list[bool] = field(default_factory=list)
    messages: list[dict[str, Any]] = field(default_factory=list)
    kept: list[int] = field(default_factory=list)
    errors: list[str] = field(default_factory=list)
    room: Room = field(default_factory=Room)

    def __call__(self, make: Any, *replies: Reply, horizon: int = 9, model: Any = None) -> str:
        def endless() -> Iterator[Reply]:
            yield from replies
            while True:
                yield replies[-1]

        config = ReplyConfig(
            model_name="test", observation_template="{{ output.output }}", format_error_template="{{ error }}",
            seed="1", horizon=horizon,
        )  # fmt: skip
        meter = Meter(
            lambda call, extra, parsed: self.calls.append(parsed), horizon=horizon, cost_limit=None, token_limit=None,
            work=WorkTime(),
        )  # fmt: skip
        return visit(
            make, model or ReplyModel(config, endless()), self.room, meter, task="the issue", seed=7,
            on_message=self.messages.append, on_context=self.kept.append,
            on_error=lambda error: self.errors.append(type(error).__name__),
            system_template="s", instance_template="{{ task }}", max_consecutive_format_errors=3,
        )  # fmt: skip

    @property
    def roles(self) -> list[str]:
        return [message["role"] for message in self.messages]


class Base:
    def __init__(self, model: Any, env: Any, **config: Any):
        self.model, self.env, self.config = model, env, config

    def ask(self, *texts: str) -> dict[str, Any]:
        reply: dict[str, Any] = self.model.query([{"role": "user", "content": text} for text in texts])
        return reply


def say(text: str) -> dict[str, Any]:
    return {"role": "user", "content": text}


def test_a_class_of_mini_swe_agent_works_as_it_is() -> None:
    names: dict[str, Any] = {}
    exec(next(text for text in blocks("python") if "Reminded" in text), names)
    seen = Visit()
    assert seen(names["Reminded"], acting("a", "one", "two"), MALFORMED, acting("b", "end verified")) == "verified"
    assert seen.calls == [True, False, True]
    assert seen.room.ran == ["one", "two", "end verified"]
    assert seen.roles == ["system", "user", "assistant", "tool", "tool", "user", "assistant", "exit"]
    assert Visit()(names["Reminded"], MALFORMED) == "RepeatedFormatError"


def test_it_gets_the_stages_settings_and_the_seed() -> None:
    class Looks(Base):
        def run(self, task: str) -> None:
            assert task == "the issue"
            assert self.config["seed"] == 7 and self.config["cost_limit"] == self.config["step_limit"] == 0
            assert self.config["instance_template"] == "{{ task }}"

    seen = Visit()
    assert seen(Looks, acting("a", "x")) == "agent_stopped"
    assert seen.errors == []


def test_the_conversation_is_recorded_once_and_rewriting_it_is_noted() -> None:
    class Rewrites(Base):
        def run(self, task: str) -> None:
            talk = [say("one")]
            talk.append(self.model.query(talk))
            talk.append(say("two"))
            talk.append(self.model.query(talk))
            self.model.query([say("one"), say("in short")])

    seen = Visit()
    seen(Rewrites, acting("a", "x"))
    assert [m["content"] for m in seen.messages if m["role"] == "user"] == ["one", "two", "in short"]
    assert seen.roles == ["user", "assistant", "user", "assistant", "user", "assistant", "exit"]
    assert seen.kept == [1]


def test_limits_hold_whatever_the_agent_catches() -> None:
    class Deaf(Base):
        def run(self, task: str) -> dict[str, str]:
            for _ in range(1000):
                try:
                    self.ask("more")
                    self.env.execute(ACT)
                except Exception:
                    continue
            return {"exit_status": "verified"}

    seen = Visit()
    assert seen(Deaf, acting("a", "x"), horizon=4) == "horizon"
    assert len(seen.calls) == len(seen.room.ran) == 4


@pytest.mark.parametrize("command", ["end submitted", "lose"])
def test_nothing_goes_through_after_the_end(command: str) -> None:
    class Stubborn(Base):
        def run(self, task: str) -> None:
            self.ask("go")
            try:
                self.env.execute({"command": command})
            except Exception:
                self.env.execute({"command": "more"})

    seen = Visit()
    if command == "lose":
        with pytest.raises(AttemptLost):
            seen(Stubborn, acting("a", "x"))
    else:
        assert seen(Stubborn, acting("a", "x")) == "submitted"
    assert seen.room.ran == [command]


def test_its_own_errors_are_its_outcome() -> None:
    class Breaks(Base):
        def run(self, task: str) -> None:
            self.ask("go")
            raise KeyError("mine")

    class Early(Base):
        def run(self, task: str) -> None:
            self.env.execute(ACT)

    class Unmade:
        def __init__(self, model: Any, env: Any, **config: Any):
            raise TypeError("no")

    for make, error in ((Breaks, "KeyError"), (Early, "ValueError"), (Unmade, "TypeError")):
        seen = Visit()
        assert seen(make, acting("a", "x")) == "agent_error"
        assert seen.errors == [error] and seen.room.ran == []


@pytest.mark.parametrize("claimed", ["horizon", "verified", "cost_limit", "submitted"])
def test_it_cannot_claim_an_end(claimed: str) -> None:
    class Claims(Base):
        def run(self, task: str) -> dict[str, str]:
            self.ask("go")
            return {"exit_status": claimed}

    assert Visit()(Claims, acting("a", "x")) == "agent_stopped"


def test_turns_stand_in_for_a_model() -> None:
    class Turns(Base):
        def run(self, task: str) -> None:
            reply = self.ask("a")
            output = self.env.execute({"command": "hello"})
            (message,) = self.model.format_observation_messages(reply, [output])
            assert message == say("hello")
            self.model.query([say("a"), reply, message])

    seen = Visit()
    assert seen(Turns, model=TurnModel("turns", "{{ output.output }}")) == "agent_stopped"
    assert seen.errors == [] and seen.calls == [True, True]
    assert seen.roles == ["user", "assistant", "user", "assistant", "exit"]
