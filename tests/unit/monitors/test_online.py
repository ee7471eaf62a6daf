"""A monitor as the trigger of an arm: alarms, questions, and what they cost."""

from __future__ import annotations

from typing import Any

import pytest
from trajectories import call, joined

from harness import miniswe
from harness.agents.interrupts import AttemptLost
from harness.monitors.catalogue import Spec
from harness.monitors.online import AlarmTrigger, ask_model
from harness.monitors.prefix import Prefix
from harness.monitors.watch import prefixes
from harness.recovery.triggers import Answer, Charge

miniswe.prepare()


def after(*calls: list[dict[str, Any]], horizon: int = 20) -> Prefix:
    return list(prefixes(joined(calls, horizon)))[-1]


class Asked:
    """Answers every question, and keeps the lines."""

    def __init__(self, answer: str = "CONFIDENCE: 5"):
        self.answer, self.questions = answer, 0
        self.lines: list[dict[str, Any]] = []

    def ask(self, question: str) -> Answer:
        self.questions += 1
        return Answer(self.answer, 0.25)

    def record(self, kind: str, **facts: Any) -> None:
        self.lines.append({"type": kind, **facts})


def trigger(which: str, threshold: float, asked: Asked, shadow: bool = False, **params: int) -> AlarmTrigger:
    made = AlarmTrigger(Spec(which, params), threshold, shadow)
    made.bind(asked.ask, asked.record)
    return made


def test_a_free_monitor_costs_nothing() -> None:
    asked = Asked()
    made = trigger("fixed-time", 2, asked)
    assert [made.observe(after(*[call(n) for n in range(1, t + 1)]), None) for t in (1, 2, 3)] == [False, True, True]
    assert made.charge() == Charge() and asked.questions == 0
    assert [(line["type"], line["score"], line["alarm"]) for line in asked.lines] == [
        ("reading", 1.0, False), ("reading", 2.0, True), ("reading", 3.0, True),
    ]  # fmt: skip


def test_an_attempt_that_a_protocol_event_ends_is_no_live_decision() -> None:
    made = trigger("fixed-time", 1, Asked())
    assert not made.observe(after(call(1)), "repeated_format_error")


def test_a_question_is_a_call_with_its_cost_and_its_answer_is_read() -> None:
    asked = Asked()
    made = trigger("stated-confidence", 0.9, asked, every=2)
    assert not made.observe(after(call(1)), None)
    assert made.charge() == Charge()
    assert made.observe(after(call(1), call(2)), None)
    charge = made.charge()
    assert (charge.calls, charge.cost_usd, asked.questions) == (1, 0.25, 1)
    statement = next(line for line in asked.lines if line["type"] == "statement")
    assert (statement["after"], statement["charged"], statement["answer"]) == (2, True, asked.answer)


def test_no_question_where_it_would_take_the_last_call() -> None:
    asked = Asked()
    made = trigger("stated-confidence", 0.9, asked, every=1)
    assert not made.observe(after(call(1), call(2), horizon=3), None)
    assert made.charge() == Charge() and asked.questions == 0


def test_a_shadow_pays_money_but_no_calls_and_never_acts() -> None:
    asked = Asked()
    made = trigger("stated-confidence", 0.9, asked, shadow=True, every=1)
    assert not made.observe(after(call(1)), None)
    assert (made.charge().calls, made.charge().cost_usd) == (0, 0.25)
    statement, reading = asked.lines
    assert (statement["charged"], reading["alarm"], reading["acted"]) == (False, True, False)


def test_a_monitor_that_fails_loses_the_try_and_not_the_attempt() -> None:
    made = AlarmTrigger(Spec("stated-confidence", {"every": 1}), 0.5)
    with pytest.raises(AttemptLost) as lost:
        made.observe(after(call(1)), None)
    assert lost.value.reason == "monitor_failure"


class _Chat:
    """A model that refuses to be questioned without a tool call, as mini-swe-agent's do."""

    def __init__(self) -> None:
        self.seen: list[dict[str, Any]] = []

    def format_message(self, **kwargs: Any) -> dict[str, Any]:
        return kwargs

    def query(self, messages: list[dict[str, Any]]) -> dict[str, Any]:
        from minisweagent.exceptions import FormatError

        self.seen = messages
        response = {"choices": [{"message": {"content": "CONFIDENCE: 40"}}]}
        raise FormatError({"role": "user", "content": "no", "extra": {"response": response, "cost": 0.5}})


def test_a_model_is_asked_at_the_end_of_its_conversation_and_taken_for_its_text() -> None:
    model, said = _Chat(), [{"role": "user", "content": "Repair it."}]
    assert ask_model(model, said, "How sure?") == Answer("CONFIDENCE: 40", 0.5)
    assert model.seen == [*said, {"role": "user", "content": "How sure?"}] and len(said) == 1
