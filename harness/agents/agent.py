"""mini-swe-agent's DefaultAgent with call-by-call recording and this project's limits.

Its prompts, its loop and its format-error rule are kept: three malformed responses in a row end the attempt.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from harness import miniswe

miniswe.prepare()

from minisweagent.agents.default import DefaultAgent  # noqa: E402
from minisweagent.exceptions import FormatError  # noqa: E402

from harness.agents.interrupts import end_attempt  # noqa: E402

#: Statuses that this agent ends an attempt with, beside mini-swe-agent's own.
HORIZON, COST_LIMIT, WALL_LIMIT = "horizon", "cost_limit", "wall_limit"


class RecordedAgent(DefaultAgent):
    """DefaultAgent that reports each call as it happens.

    Args:
        on_call: called after each query with the call's number, the reply's or the format error's ``extra``, and
            whether it parsed.
        on_message: called with each message as it joins the conversation.
        horizon: calls; a live attempt is censored there.
        cost_limit: US dollars, None for none.
        wall_seconds: wall time of the attempt.
    """

    def __init__(
        self,
        model: Any,
        env: Any,
        *,
        on_call: Callable[[int, dict[str, Any], bool], None],
        on_message: Callable[[dict[str, Any]], None],
        horizon: int,
        cost_limit: float | None,
        wall_seconds: float,
        **config: Any,
    ):
        super().__init__(model, env, step_limit=0, cost_limit=0.0, **config)
        self._on_call, self._on_message = on_call, on_message
        self._horizon, self._cost_limit, self._wall_seconds = horizon, cost_limit, wall_seconds
        self._began = time.monotonic()

    def _check_limits(self) -> None:
        if self.n_calls >= self._horizon:
            raise end_attempt(HORIZON)
        if self._cost_limit is not None and self.cost >= self._cost_limit:
            raise end_attempt(COST_LIMIT)
        if time.monotonic() - self._began >= self._wall_seconds:
            raise end_attempt(WALL_LIMIT)

    def query(self) -> dict[str, Any]:
        self._check_limits()
        try:
            message: dict[str, Any] = super().query()
        except FormatError as error:
            self._on_call(self.n_calls, error.messages[0].get("extra", {}), False)
            raise
        self._on_call(self.n_calls, message.get("extra", {}), True)
        return message

    def add_messages(self, *messages: dict[str, Any]) -> list[dict[str, Any]]:
        for message in messages:
            self._on_message(message)
        added: list[dict[str, Any]] = super().add_messages(*messages)
        return added

    def save(self, path: Path | None, *extra_dicts: dict[str, Any]) -> dict[str, Any]:
        """Does nothing: calls are recorded one by one, and serialising the whole conversation per step grows."""
        return {}
