"""Classifies how an attempt ended: verified, terminal or censored, at a model call."""

from __future__ import annotations

from dataclasses import dataclass

#: How the agent loop can end, to the event and the reason recorded with it.
TERMINAL = {
    "RepeatedFormatError": "repeated_format_error",
    "submitted": "unverified_submission",
    "context_overflow": "context_overflow",
    "refusal": "refusal",
    # Of agents of other packages: they returned without a submission, or an error of their own making ended them.
    "agent_stopped": "agent_stopped",
    "agent_error": "agent_error",
}
CENSORED = {"horizon": "horizon", "cost_limit": "cost_limit", "token_limit": "token_limit", "wall_limit": "wall_limit"}


@dataclass
class Progress:
    """What is known of an attempt while it runs."""

    calls: int = 0
    """Model queries that returned, parsed or not."""
    action: int = 0
    """Index of the running action within its call, from 0."""
    passed_call: int | None = None
    passed_action: int | None = None
    unpassed_at: int | None = None
    repassed_at: int | None = None

    def judge(self, passed: bool) -> None:
        """Takes in the verdict after the running action."""
        if self.passed_call is None:
            if passed:
                self.passed_call, self.passed_action = self.calls, self.action
        elif not passed and self.unpassed_at is None:
            self.unpassed_at = self.calls
        elif passed and self.unpassed_at is not None and self.repassed_at is None:
            self.repassed_at = self.calls


def event_of(progress: Progress, status: str) -> tuple[str, int, str | None]:
    """(event, call, reason) of an attempt that ended with ``status``. A pass and an end at one call count as verified.

    Raises:
        ValueError: a status that no rule covers.
    """
    if progress.passed_call is not None:
        return "verified", progress.passed_call, None
    if status in TERMINAL:
        return "terminal", progress.calls, TERMINAL[status]
    if status in CENSORED:
        return "censored", progress.calls, CENSORED[status]
    raise ValueError(f"unknown end of an attempt: {status!r}")


def known_total(costs: list[float | None]) -> float | None:
    """Sum of the costs, US dollars, 0.0 of none; None when one is unknown."""
    if any(cost is None for cost in costs):
        return None
    return float(sum(cost for cost in costs if cost is not None))
