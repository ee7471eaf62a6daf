"""Repeated command: the agent runs what it ran before."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass

from harness.monitors.prefix import Prefix


@dataclass(frozen=True)
class RepeatedCommand:
    """Score: how often the last call's most repeated command had been run before, within the last calls.

    Commands are compared with runs of white space as one blank.
    """

    window: int = 12
    """Calls looked back on, the last one among them."""

    def __post_init__(self) -> None:
        if self.window < 1:
            raise ValueError(f"window is {self.window}; wanted: 1 call or more")

    def score(self, prefix: Prefix) -> float:
        seen = Counter(_plain(action.command) for call in prefix.calls[-self.window :] for action in call.actions)
        last = prefix.calls[-1].actions if prefix.calls else ()
        return float(max((seen[_plain(action.command)] - 1 for action in last), default=0))


def _plain(command: str) -> str:
    return " ".join(command.split())
