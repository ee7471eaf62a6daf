"""An arm's intervention at work inside one attempt: asks the trigger after every call, and carries its action out."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from harness.agents.agent import Episode
from harness.agents.meter import Meter
from harness.monitors.watch import Watch
from harness.protocol.recovery import RecoveryAction
from harness.recovery.apply import Message, Summary, apply, needs_summary
from harness.recovery.triggers import Answer, Charge, Trigger


@dataclass(frozen=True)
class Hands:
    """What an intervention can do to the attempt."""

    summarise: Callable[[], Summary]
    """Tells the state of the workspace."""
    reset: Callable[[], None]
    """Puts a fresh workspace in place of the present one."""
    client: Callable[[int, RecoveryAction, int], Any]
    """The model client of an episode; see ``clients.Clients``."""
    ask: Callable[[Sequence[Message], str], Answer]
    """Asks the present model a question at the end of a conversation."""
    record: Callable[..., None]
    """Writes a line into the trajectory: its type, and facts by name."""
    charged: Callable[[Charge, bool], None]
    """Takes down what an observation used, and whether it was an alarm; the meter has taken it already."""
    passed: Callable[[], bool]
    """Whether the attempt has passed: what would end it then is no terminal event."""


@dataclass
class Intervention:
    """An arm's action with its trigger; made for one attempt. Its methods are the agent's ``intervene``.

    Args:
        trigger: None: the action is applied once, before the first call.
        most: applications at most; None: as often as the trigger asks for it.
        watch: told of every line of the trajectory by whoever records it.
    """

    action: RecoveryAction
    trigger: Trigger | None
    most: int | None
    meter: Meter
    hands: Hands
    watch: Watch
    opening: tuple[Message, ...] = ()
    applied: list[dict[str, Any]] = field(default_factory=list)
    """Every application, for the outcome."""

    def __call__(self, conversation: Sequence[Message], event: str | None) -> Episode | None:
        """As ``agents.agent.Intervene``."""
        if not self.opening:  # before the first call, or asked for the first time after it
            self.opening = tuple(message for message in conversation[:2])
        if self.meter.calls == 0:
            return self._apply(conversation, None) if self.trigger is None else None
        if self.trigger is None or (self.most is not None and len(self.applied) >= self.most):
            return None
        if self.meter.calls_left == 0 if event is None else self.hands.passed():
            return None
        return self._apply(conversation, event) if self._observe(self.trigger, conversation, event) else None

    def _observe(self, trigger: Trigger, conversation: Sequence[Message], event: str | None) -> bool:
        trigger.bind(lambda question: self.hands.ask(conversation, question), self.hands.record)
        began = self.applied[-1]["call"] if self.applied else 0
        whole = self.watch.prefix
        episode = replace(whole, calls=tuple(call for call in whole.calls if call.number > began))
        fired = trigger.observe(episode, event)
        charge = trigger.charge()
        if charge != Charge():
            self.meter.charge(charge.calls, charge.cost_usd)
            self.hands.charged(charge, fired)
        return fired

    def _apply(self, conversation: Sequence[Message], event: str | None) -> Episode:
        began, call = time.monotonic(), self.meter.calls
        summary = self.hands.summarise() if needs_summary(self.action) else None
        start = apply(self.action, conversation=conversation, opening=self.opening, summary=summary)
        if start.workspace == "reset":
            self.hands.reset()
        model = self.hands.client(len(self.applied) + 2, self.action, call)
        facts = {
            "call": call, "action": self.action.name, "workspace": self.action.workspace,
            "context": self.action.context, "event": event, "seconds": round(time.monotonic() - began, 3),
        }  # fmt: skip
        self.applied.append(facts)
        self.hands.record("intervention", **facts)
        return Episode(start.messages, start.kept, model)
