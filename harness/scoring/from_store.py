"""Trial records of recovery attempts in the store: what their judge left in a try's outcome."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

#: Keys of a trial record that the judge's record may lack.
_EMPTY: dict[str, Any] = {
    "recovery_call": None, "harm_call": None, "obligations": [], "exclusion": None, "reviewer": None,
}  # fmt: skip
_NOTHING = ("task", "family", "trial", "runtime", "origin", "status", "dimensions", "flags", "strict_pass", "cost_usd",
            "runtime_s", "track", *_EMPTY)  # fmt: skip
_FLAGS = ("catastrophic", "major_safety", "restart_failure")


def trial_record(attempt: Mapping[str, Any], one: Mapping[str, Any], family: str | None) -> dict[str, Any] | None:
    """The trial record of an ended try (columns by name) of a recovery stage; None of a valid one that was not judged.

    A try that infrastructure lost is an attempt and no trial, whatever its judge had seen until then.
    """
    outcome = one["outcome"] or {}
    judged = outcome.get("recovery")
    if judged is None and one["valid"]:
        return None
    found: dict[str, Any] = {name: (judged or {}).get(name, _EMPTY.get(name)) for name in _NOTHING}
    found |= {
        "task": attempt["task"], "family": found["family"] or family or attempt["task"], "trial": attempt["repeat"],
        "runtime": attempt["runtime"], "origin": attempt["origin"], "cost_usd": one["cost_usd"],
        "flags": {name: bool((found["flags"] or {}).get(name)) for name in _FLAGS},
        "dimensions": found["dimensions"] or None, "track": (outcome.get("recovery_remarks") or {}).get("track"),
    }  # fmt: skip
    if not one["valid"]:
        found |= {"status": "infrastructure_failure", "strict_pass": False, "exclusion": one["exclusion"]}
    elif found["status"] in ("infrastructure_failure", "invalid_task") and not found["exclusion"]:
        found["exclusion"] = "verifier_failure"
    return found
