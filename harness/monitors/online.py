"""A monitor at work inside a running attempt: the trigger of an arm, whose questions are charged to the attempt."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import replace
from typing import Any

from harness.agents.interrupts import AttemptLost
from harness.errors import InputError
from harness.importers.plain import text_of
from harness.monitors.catalogue import Spec, make_monitor
from harness.monitors.prefix import Prefix
from harness.monitors.scoring import question_of, score_of
from harness.monitors.watch import refused_text
from harness.protocol.intervention import Alarm
from harness.recovery.triggers import Answer, Ask, Charge


class AlarmTrigger:
    """Raises the alarm when the score of a live attempt reaches the threshold; a ``recovery.triggers.Trigger``.

    A question is asked only where the attempt has a call left after it: it is taken from the attempt's own budget.

    Args:
        shadow: whether it only watches: nothing is done at an alarm, and a question costs money but no call.
    """

    def __init__(self, spec: Spec, threshold: float, shadow: bool = False):
        self._spec, self._threshold, self._shadow = spec, threshold, shadow
        self._monitor = make_monitor(spec)
        self._ask: Ask | None = None
        self._record: Callable[..., None] = lambda kind, **facts: None
        self._charge = Charge()

    def bind(self, ask: Ask, record: Callable[..., None]) -> None:
        """Says who asks the model, and who writes lines into the trajectory (type, and facts by name)."""
        self._ask, self._record = ask, record

    def observe(self, prefix: Prefix, event: str | None) -> bool:
        """Whether to act now. An attempt that a protocol event is about to end is no live decision: no alarm then.

        Raises:
            AttemptLost: the monitor failed, which says nothing about the agent.
        """
        began = time.monotonic()
        self._charge = Charge()
        if event is not None or not prefix.calls:
            return False
        try:
            prefix = self._asked(prefix)
            score = score_of(self._spec, self._monitor, prefix)
        except InputError as error:
            raise AttemptLost("monitor_failure", error.what) from error
        alarm = score is not None and score >= self._threshold
        seconds = round(time.monotonic() - began, 6)
        acted = alarm and not self._shadow
        self._record("reading", after=prefix.t, score=score, alarm=alarm, acted=acted, seconds=seconds)
        return acted

    def charge(self) -> Charge:
        """What the last ``observe`` used."""
        return self._charge

    def _asked(self, prefix: Prefix) -> Prefix:
        """The prefix with the answer to the monitor's question, if it has one."""
        question = question_of(self._monitor, prefix)
        if question is None:
            return prefix
        if self._ask is None:
            raise InputError(f"{self._spec.text} asks the model, and nobody can ask it here", file="--monitor",
                             mend="choose a monitor that does not ask")  # fmt: skip
        began = time.monotonic()
        answer = self._ask(question)
        seconds = time.monotonic() - began
        self._charge = Charge(0 if self._shadow else 1, answer.cost_usd, seconds)
        self._record(
            "statement", after=prefix.t, question=question, answer=answer.text, charged=not self._shadow,
            cost_usd=answer.cost_usd, seconds=round(seconds, 6),
        )  # fmt: skip
        last = replace(prefix.calls[-1], statement=answer.text, charged=not self._shadow)
        return replace(prefix, calls=(*prefix.calls[:-1], last))


def alarm_trigger(plan: Alarm) -> AlarmTrigger:
    """The trigger of an arm that acts on a monitor's alarm; raises ``InputError`` for an unknown monitor."""
    return AlarmTrigger(Spec(plan.monitor, plan.params), plan.threshold, bool(plan.shadow))


def ask_model(model: Any, messages: list[dict[str, Any]], question: str) -> Answer:
    """Asks in a copy of the conversation; an instrument without a language model says what its law makes it say.

    The request is that of every call, tools included. An answer that calls a tool, or that does not parse, is taken for
    its text.

    Raises:
        AttemptLost: the provider failed after all retries.
    """
    consulted = getattr(model, "consulted", None)
    if callable(consulted):
        text, cost = consulted()
        return Answer(text, cost)
    from minisweagent.exceptions import FormatError

    asked = [*messages, model.format_message(role="user", content=question)]
    try:
        reply: dict[str, Any] = model.query(asked)
        text = text_of(reply.get("content"))
        extra = reply.get("extra") or {}
    except FormatError as error:
        extra = error.messages[0].get("extra") or {} if error.messages else {}
        text = refused_text(extra)
    cost = extra.get("cost") if extra.get("cost_known", True) else None
    return Answer(text, None if cost is None else float(cost))

