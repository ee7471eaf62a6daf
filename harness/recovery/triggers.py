"""When an arm's action is applied: asked after every model call, told what a monitor may see and nothing more."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Protocol

from harness.monitors.prefix import Prefix
from harness.protocol import intervention


@dataclass(frozen=True)
class Answer:
    """What the model said to a question, and its cost."""

    text: str
    cost_usd: float | None
    """US dollars; None when unknown."""


#: Asks the model of the attempt a question, in its conversation as it stands; neither becomes a part of it.
Ask = Callable[[str], Answer]


@dataclass(frozen=True)
class Charge:
    """What an observation used up; it is taken from the attempt's own budget."""

    calls: int = 0
    """Model calls."""
    cost_usd: float | None = 0.0
    """US dollars; None when unknown."""
    seconds: float = 0.0
    """Wall time, which the attempt's working time holds already."""


class Trigger(Protocol):
    """Decides when an action is applied."""

    def bind(self, ask: Ask, record: Callable[..., None]) -> None:
        """Says, before an observation, who asks the attempt's model, and who writes lines (type, facts by name)
        into its trajectory."""

    def observe(self, prefix: Prefix, event: str | None) -> bool:
        """Whether to act now, after the last call of ``prefix``; not asked about a live attempt without calls left.

        Args:
            prefix: the episode so far: the calls since the last action, or all. No verdict is in it.
            event: reason of the terminal event that is about to end the attempt at this call; None while it is live.
        """

    def charge(self) -> Charge:
        """What the last ``observe`` used and the attempt does not know of yet."""


class _Free:
    """A trigger that costs nothing."""

    def bind(self, ask: Ask, record: Callable[..., None]) -> None:
        pass

    def charge(self) -> Charge:
        return Charge()


@dataclass(frozen=True)
class AfterFormatErrors(_Free):
    """After ``count`` malformed replies in a row."""

    count: int

    def observe(self, prefix: Prefix, event: str | None) -> bool:
        return len(prefix.calls) >= self.count and not any(call.parsed for call in prefix.calls[-self.count :])


@dataclass(frozen=True)
class AtCall(_Free):
    """After model call number ``call`` of an attempt that is live there."""

    call: int

    def observe(self, prefix: Prefix, event: str | None) -> bool:
        return event is None and prefix.t == self.call


@dataclass(frozen=True)
class OnEvent(_Free):
    """In place of a terminal event of one of ``reasons``."""

    reasons: frozenset[str]

    def observe(self, prefix: Prefix, event: str | None) -> bool:
        return event in self.reasons


def make_trigger(plan: intervention.Trigger) -> Trigger:
    """The trigger that a protocol declares."""
    match plan:
        case intervention.FormatErrors():
            return AfterFormatErrors(plan.count)
        case intervention.FixedCall():
            return AtCall(plan.call)
        case intervention.ProtocolEvent():
            return OnEvent(frozenset(plan.reasons))
        case intervention.Alarm():
            from harness.monitors.online import alarm_trigger  # monitors build on Trigger themselves

            return alarm_trigger(plan)
