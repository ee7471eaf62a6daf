"""Counts, bounds and reports the model calls of one attempt, whichever agent makes them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from harness import miniswe

miniswe.prepare()

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


class Meter:
    """The limits of an attempt, and what its calls have used so far.

    Args:
        on_call: called after each query with the call's number, the reply's or the format error's ``extra``, and
            whether it parsed.
        horizon: calls; a live attempt is censored there.
        cost_limit, token_limit: US dollars and tokens of the attempt, None for none.
        work: the attempt's working time with its limit.
    """

    def __init__(
        self,
        on_call: Callable[[int, dict[str, Any], bool], None],
        *,
        horizon: int,
        cost_limit: float | None,
        token_limit: int | None,
        work: WorkTime,
    ):
        self.calls, self.cost = 0, 0.0
        self._on_call, self._horizon, self._work = on_call, horizon, work
        self._cost_limit, self._token_limit, self._tokens = cost_limit, token_limit, 0

    def ask(self, model: Any, messages: list[dict[str, Any]]) -> dict[str, Any]:
        """One call: the model's reply, recorded before anybody sees it."""
        self._check_limits()
        self.calls += 1
        try:
            message: dict[str, Any] = model.query(messages)
        except FormatError as error:
            extra = error.messages[0].get("extra", {})
            self.cost += extra.get("cost", 0.0)
            self._record(extra, False)
            raise
        except InterruptAgentFlow as end:
            if getattr(end, "status", None) == WALL_LIMIT:  # cut off: this call did not happen
                self.calls -= 1
            else:  # the provider refused the request for good: a call, but an unbilled one
                self._record({"cost": 0.0}, False)
            raise
        extra = message.get("extra", {})
        self.cost += extra.get("cost", 0.0)
        self._record(extra, True)
        return message

    @property
    def calls_left(self) -> int:
        """Calls up to the horizon."""
        return self._horizon - self.calls

    def charge(self, calls: int, cost_usd: float | None) -> None:
        """Takes what a monitor used from the attempt's budget.

        Raises:
            AttemptLost: its cost is unknown, and the attempt has a limit on it.
        """
        self.calls = min(self._horizon, self.calls + calls)
        self.cost += cost_usd or 0.0
        if self._cost_limit is not None and cost_usd is None:
            raise AttemptLost("cost_unknown", "nobody said what the monitor cost, and the attempt has a limit on it")

    def _check_limits(self) -> None:
        if self.calls >= self._horizon:
            raise end_attempt(HORIZON)
        if self._cost_limit is not None and self.cost >= self._cost_limit:
            raise end_attempt(COST_LIMIT)
        if self._token_limit is not None and self._tokens >= self._token_limit:
            raise end_attempt(TOKEN_LIMIT)
        if self._work.left <= 0:
            raise end_attempt(WALL_LIMIT)

    def _record(self, extra: dict[str, Any], parsed: bool) -> None:
        self._tokens += tokens_of(extra)
        self._on_call(self.calls, extra, parsed)
        if self._cost_limit is not None and not extra.get("cost_known", True):
            raise AttemptLost("cost_unknown", "nobody said what the call cost, and the attempt has a limit on it")
