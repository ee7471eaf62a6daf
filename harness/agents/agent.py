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
from minisweagent.exceptions import FormatError, InterruptAgentFlow  # noqa: E402

from harness.agents.interrupts import (  # noqa: E402
    COST_LIMIT,
    HORIZON,
    TOKEN_LIMIT,
    WALL_LIMIT,
    AttemptLost,
    end_attempt,
)
from harness.worktime import WorkTime  # noqa: E402


def tokens_of(extra: dict[str, Any]) -> int:
    """Tokens that a reply's response says were spent, 0 where it does not say."""
    response = extra.get("response")
    usage = response.get("usage") if isinstance(response, dict) else None
    return int((usage or {}).get("total_tokens") or 0)


class RecordedAgent(DefaultAgent):
    """DefaultAgent that reports each call as it happens.

    Args:
        on_call: called after each query with the call's number, the reply's or the format error's ``extra``, and
            whether it parsed.
        on_message: called with each message as it joins the conversation.
        horizon: calls; a live attempt is censored there.
        cost_limit, token_limit: US dollars and tokens of the attempt, None for none.
        work: the attempt's working time with its limit.
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
        token_limit: int | None,
        work: WorkTime,
        **config: Any,
    ):
        super().__init__(model, env, step_limit=0, cost_limit=0.0, **config)
        self._on_call, self._on_message = on_call, on_message
        self._horizon, self._work = horizon, work
        self._cost_limit, self._token_limit, self._tokens = cost_limit, token_limit, 0

    def _check_limits(self) -> None:
        if self.n_calls >= self._horizon:
            raise end_attempt(HORIZON)
        if self._cost_limit is not None and self.cost >= self._cost_limit:
            raise end_attempt(COST_LIMIT)
        if self._token_limit is not None and self._tokens >= self._token_limit:
            raise end_attempt(TOKEN_LIMIT)
        if self._work.left <= 0:
            raise end_attempt(WALL_LIMIT)

    def query(self) -> dict[str, Any]:
        """One call; like DefaultAgent's, but recorded before the reply joins the conversation."""
        self._check_limits()
        self.n_calls += 1
        try:
            message: dict[str, Any] = self.model.query(self.messages)
        except FormatError as error:
            self._record(error.messages[0].get("extra", {}), False)
            raise
        except InterruptAgentFlow as end:
            if getattr(end, "status", None) == WALL_LIMIT:  # cut off: this call did not happen
                self.n_calls -= 1
            else:  # the provider refused the request for good: a call, but an unbilled one
                self._record({"cost": 0.0}, False)
            raise
        extra = message.get("extra", {})
        self.cost += extra.get("cost", 0.0)
        self._record(extra, True)
        self.add_messages(message)
        return message

    def _record(self, extra: dict[str, Any], parsed: bool) -> None:
        self._tokens += tokens_of(extra)
        self._on_call(self.n_calls, extra, parsed)
        if self._cost_limit is not None and not extra.get("cost_known", True):
            raise AttemptLost("cost_unknown", "nobody said what the call cost, and the attempt has a limit on it")

    def add_messages(self, *messages: dict[str, Any]) -> list[dict[str, Any]]:
        for message in messages:
            self._on_message(message)
        added: list[dict[str, Any]] = super().add_messages(*messages)
        return added

    def save(self, path: Path | None, *extra_dicts: dict[str, Any]) -> dict[str, Any]:
        """Does nothing: calls are recorded one by one, and serialising the whole conversation per step grows."""
        return {}
