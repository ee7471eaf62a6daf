"""Model-stated confidence: the model is asked how likely it is to succeed, and taken at its word."""

from __future__ import annotations

import re
from dataclasses import dataclass

from harness.monitors.prefix import Prefix

QUESTION = (
    "Pause for a moment; do not call a tool now. How likely is it that you will have repaired the issue completely "
    "within the calls that are left? Answer with this line and nothing else, with a number from 0 to 100 in it:\n"
    "CONFIDENCE: <percent>"
)

_STATED = re.compile(r"CONFIDENCE\s*[:=]\s*(\d{1,3}(?:\.\d+)?)\s*%?", re.IGNORECASE)


@dataclass(frozen=True)
class StatedConfidence:
    """Score: 1 minus the last stated chance of success; none before the first answer that states one.

    Asks after every ``every``-th call of the agent. A question is a model call of the attempt.
    """

    every: int = 4
    """Calls of the agent from one question to the next."""

    def __post_init__(self) -> None:
        if self.every < 1:
            raise ValueError(f"every is {self.every}; wanted: 1 call or more")

    def question(self, prefix: Prefix) -> str | None:
        return QUESTION if prefix.calls and len(prefix.calls) % self.every == 0 else None

    def score(self, prefix: Prefix) -> float | None:
        for call in reversed(prefix.calls):
            if call.statement is not None and (stated := chance_of(call.statement)) is not None:
                return 1.0 - stated
        return None


def chance_of(statement: str) -> float | None:
    """The chance that an answer states, as a fraction; the last line counts. None: it states none."""
    found = _STATED.findall(statement)
    percent = float(found[-1]) if found else None
    return percent / 100 if percent is not None and percent <= 100 else None
