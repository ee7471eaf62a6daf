"""What arms did to the counted attempts of a stage, as the tries recorded it."""

from __future__ import annotations

from typing import Any

from harness.store.store import Store


def interventions_of(store: Store, stage: str) -> list[dict[str, Any]]:
    """Every application of an arm's action in a try that counts: task, runtime, arm, repeat, call, action, event.

    ``event`` is the reason of the terminal event that it replaced, None where the attempt was live.
    """
    return [
        {
            "task": attempt.task, "runtime": attempt.runtime, "arm": attempt.arm, "repeat": attempt.repeat,
            "call": applied["call"], "action": applied["action"], "event": applied["event"],
        }
        for attempt, facts in store.ended_tries(stage) if facts["valid"]
        for applied in (facts["outcome"] or {}).get("interventions", ())
    ]  # fmt: skip
