"""What the recorded end of an attempt means: an event of its own, a limit, or a loss that says nothing of the agent."""

from __future__ import annotations

import re

from harness.importers.record import Record

#: Patterns of recorded ends, to the status by which ``harness.outcome`` classifies.
_ENDS = (
    (r"submitted", "submitted"),
    (r"RepeatedFormatError|exit_format", "RepeatedFormatError"),
    (r".*(ContextWindow|ContextLength|exit_context|context_limit|context_overflow).*", "context_overflow"),
    (r".*(ContentPolicy|refus|exit_forfeit).*", "refusal"),
    (r".*(TimeExceeded|AgentTimeout|total_execution_time|time_limit|working_limit|wall_limit).*", "wall_limit"),
    (r".*(exit_cost|cost_limit).*", "cost_limit"),
    (r".*token_limit.*", "token_limit"),
    (r".*(message_limit|step_limit|max_turns|horizon).*", "horizon"),
)


def ending(record: Record) -> str | None:
    """The status of ``harness.outcome`` that a record ended with; None when infrastructure ended it, or nobody knows.

    mini-swe-agent has one word for both of its limits: it was the one on calls when that many were made.
    """
    status = record.exit_status.strip()
    if status == "LimitsExceeded":
        reached = record.call_limit is not None and len(record.calls) >= record.call_limit
        return "horizon" if reached else "cost_limit"
    if found := re.fullmatch(r"submitted \((.+)\)", status, re.IGNORECASE):  # handed in by the harness, at a limit
        status = found[1]
    for pattern, meaning in _ENDS:
        if re.fullmatch(pattern, status, re.IGNORECASE):
            return meaning
    return None


def horizon(record: Record) -> int:
    """The limit on calls that the recorded attempt had; as many as it made where that is not known."""
    return max(record.call_limit or 0, len(record.calls), 1)
