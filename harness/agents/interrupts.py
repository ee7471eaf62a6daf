"""What ends an attempt from inside its agent loop. Built on first use: mini-swe-agent is slow to import."""

from __future__ import annotations

from functools import cache
from typing import Any

#: Statuses that end an attempt at a limit, beside mini-swe-agent's own.
HORIZON, COST_LIMIT, TOKEN_LIMIT, WALL_LIMIT = "horizon", "cost_limit", "token_limit", "wall_limit"


class AttemptLost(Exception):
    """Infrastructure failed under the attempt; the try is excluded with ``reason``."""

    def __init__(self, reason: str, detail: str):
        super().__init__(f"{reason}: {detail}")
        self.reason, self.detail = reason, detail


def exit_message(status: str) -> dict[str, Any]:
    """The message that ends mini-swe-agent's loop."""
    return {"role": "exit", "content": status, "extra": {"exit_status": status, "submission": ""}}


@cache
def stop_class() -> type[Exception]:
    """An ``InterruptAgentFlow`` that ends the loop with a status of ours."""
    from minisweagent.exceptions import InterruptAgentFlow

    class AttemptEnded(InterruptAgentFlow):
        def __init__(self, status: str):
            super().__init__(exit_message(status))
            self.status = status

    return AttemptEnded


def end_attempt(status: str) -> Exception:
    """The exception that ends the attempt with ``status``; raise it."""
    return stop_class()(status)
