"""mini-swe-agent's DefaultAgent with call-by-call recording and this project's limits.

Its prompts, its loop and its format-error rule are kept: three malformed responses in a row end the attempt. Where an
arm intervenes, a new episode may begin in place of such an end, or between two calls.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from harness import miniswe

miniswe.prepare()

from minisweagent.agents.default import DefaultAgent  # noqa: E402
from minisweagent.exceptions import FormatError, InterruptAgentFlow  # noqa: E402

from harness.agents.meter import Meter  # noqa: E402
from harness.outcome import TERMINAL  # noqa: E402


@dataclass(frozen=True)
class Episode:
    """What an agent goes on with: a conversation and the client that answers it."""

    messages: Sequence[dict[str, Any]]
    kept: int
    """How many of the messages, the first ones, are those of the conversation before."""
    model: Any


#: Asked before the first call and after each one, with the conversation and the reason of the terminal event that is
#: about to end the attempt (None while it is live); gives the episode to go on with, None to leave all as it is.
Intervene = Callable[[Sequence[dict[str, Any]], str | None], Episode | None]


class RecordedAgent(DefaultAgent):
    """DefaultAgent that reports each message as it happens, and makes its calls through a meter.

    Args:
        meter: counts, bounds and reports the calls.
        on_message: called with each message as it joins the conversation.
        intervene: what may put another episode in place of this one; None: nothing does.
        on_context: called when one does, with how many messages it keeps, before its own are reported.
    """

    def __init__(
        self, model: Any, env: Any, *, meter: Meter, on_message: Callable[[dict[str, Any]], None],
        intervene: Intervene | None = None, on_context: Callable[[int], None] = lambda kept: None, **config: Any,
    ):  # fmt: skip
        super().__init__(model, env, step_limit=0, cost_limit=0.0, **config)
        self._meter, self._on_message = meter, on_message
        self._intervene, self._on_context = intervene, on_context

    def step(self) -> list[dict[str, Any]]:
        """One call with its actions, and what an intervention makes of it."""
        if self._intervene is None:
            return self._act()
        if self._meter.calls == 0:
            self._go_on(self._intervene(self.messages, None))
        over: InterruptAgentFlow | None = None
        added: list[dict[str, Any]] = []
        try:
            added = self._act()
        except InterruptAgentFlow as end:
            over = end
        ending = self._ending(over)
        if over is not None and not isinstance(over, FormatError) and ending is None:
            raise over  # a pass or a limit
        heard = [message for message in over.messages if message.get("role") != "exit"] if over else []
        episode = self._intervene([*self.messages, *heard], ending)
        if episode is None:
            if over is not None:
                raise over
            return added
        self.add_messages(*heard)
        self._go_on(episode)
        return []

    def _act(self) -> list[dict[str, Any]]:
        done: list[dict[str, Any]] = super().step()
        return done

    def _ending(self, over: InterruptAgentFlow | None) -> str | None:
        """Reason of the terminal event that ``over`` brings."""
        if isinstance(over, FormatError):
            most = self.config.max_consecutive_format_errors
            ends = 0 < most <= self.n_consecutive_format_errors + 1
            return TERMINAL["RepeatedFormatError"] if ends else None
        return TERMINAL.get(str(getattr(over, "status", "")))

    def _go_on(self, episode: Episode | None) -> None:
        if episode is None:
            return
        self._on_context(episode.kept)
        self.model = episode.model
        self.messages = list(episode.messages[: episode.kept])
        self.add_messages(*episode.messages[episode.kept :])

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
