"""mini-swe-agent's DefaultAgent with call-by-call recording and this project's limits.

Its prompts, its loop and its format-error rule are kept: three malformed responses in a row end the attempt.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

from harness import miniswe

miniswe.prepare()

from minisweagent.agents.default import DefaultAgent  # noqa: E402

from harness.agents.meter import Meter  # noqa: E402


class RecordedAgent(DefaultAgent):
    """DefaultAgent that reports each message as it happens, and makes its calls through a meter.

    Args:
        meter: counts, bounds and reports the calls.
        on_message: called with each message as it joins the conversation.
    """

    def __init__(
        self, model: Any, env: Any, *, meter: Meter, on_message: Callable[[dict[str, Any]], None], **config: Any
    ):
        super().__init__(model, env, step_limit=0, cost_limit=0.0, **config)
        self._meter, self._on_message = meter, on_message

    def query(self) -> dict[str, Any]:
        """One call; like DefaultAgent's, but recorded before the reply joins the conversation."""
        try:
            message = self._meter.ask(self.model, self.messages)
        finally:
            self.n_calls, self.cost = self._meter.calls, self._meter.cost
        self.add_messages(message)
        return message

    def add_messages(self, *messages: dict[str, Any]) -> list[dict[str, Any]]:
        for message in messages:
            self._on_message(message)
        added: list[dict[str, Any]] = super().add_messages(*messages)
        return added

    def save(self, path: Path | None, *extra_dicts: dict[str, Any]) -> dict[str, Any]:
        """Does nothing: calls are recorded one by one, and serialising the whole conversation per step grows."""
        return {}
