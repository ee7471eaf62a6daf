"""The trial records of a recovery stage, from its tries: what scores are made of."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from harness.errors import InputError
from harness.store.store import Store
from tasks.registry import load_task


def stage_trials(store: Store, stage: str) -> Iterator[dict[str, Any]]:
    """One record per ended try of ``stage``, in the order of docs/recovery-tasks.md; excluded tries too.

    Raises:
        InputError: the stage has no try of a recovery task.
    """
    found = 0
    for attempt, facts in store.ended_tries(stage):
        record = (facts["outcome"] or {}).get("recovery")
        if record is None and attempt.task.startswith("recovery-"):
            record = _lost(attempt, facts)
        if record is not None:
            found += 1
            # The collection may know better why a try does not count (stopped by the user).
            yield record | ({"exclusion": facts["exclusion"]} if facts["exclusion"] else {})
    if not found:
        raise InputError(f"no attempt at a recovery task of stage {stage} has ended", key=stage,
                         mend=f"restartlab collect {stage}, or name another stage")  # fmt: skip


def _lost(attempt: Any, facts: dict[str, Any]) -> dict[str, Any]:
    """The record of a try that was lost before its judge could say anything."""
    return {
        "task": attempt.task, "family": load_task(attempt.task).family, "trial": attempt.repeat,
        "runtime": attempt.runtime, "origin": attempt.origin, "status": "infrastructure_failure", "dimensions": None,
        "flags": {"catastrophic": False, "major_safety": False, "restart_failure": False}, "strict_pass": False,
        "cost_usd": facts["cost_usd"], "runtime_s": None, "recovery_call": None, "harm_call": None,
        "obligations": [], "exclusion": facts["exclusion"], "reviewer": None,
    }  # fmt: skip
