"""Where each result comes from: a record per attempt, with the tries that were used and those that were not."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from typing import Any

from harness.evidence.writing import Draft


def provenance(drafts: Collection[Draft], ledger: Collection[Draft]) -> Iterator[Draft]:
    """Task, environment, system, method, tries of each attempt, and reviews of its task; null is unavailable."""
    stage = next(draft.body for draft in drafts if draft.kind == "stage")
    whole = stage["protocol"] or {}
    protocol = whole.get("protocol") or {}
    tries: dict[str, list[Draft]] = {}
    for draft in drafts:
        if draft.kind == "try":
            tries.setdefault(draft.body["attempt_id"], []).append(draft)
    for draft in drafts:
        if draft.kind != "attempt":
            continue
        attempt, mine = draft.body, tries.get(draft.body["id"], [])
        counted = next((one for one in mine if one.body["valid"]), None)
        runtime = (protocol.get("runtimes") or {}).get(attempt["runtime"]) or {}
        outcome: dict[str, Any] = (counted.body["outcome"] or {}) if counted else {}
        environment = (counted.body["environment"] or {}) if counted else {}
        recovery = outcome.get("recovery") or {}
        yield Draft("provenance", f"provenance/{attempt['id']}", {
            "attempt": draft.id, "stage": stage["stage"], "stage_digest": stage["digest"], "task": attempt["task"],
            "task_digests": (whole.get("tasks") or {}).get(attempt["task"]) if isinstance(whole.get("tasks"), dict)
            else None,
            "origin": attempt["origin"], "base": outcome.get("base"), "sandbox": outcome.get("sandbox"),
            "model_requested": (runtime.get("model") or {}).get("name"),
            "model_returned": outcome.get("model_returned"), "agent": runtime.get("agent"),
            "agent_settings": protocol.get("agent"), "limits": protocol.get("limits"),
            "prompts_digest": whole.get("prompts"), "harness": environment.get("restartlab"),
            "revision": environment.get("revision"), "packages": environment.get("packages"),
            "method": protocol.get("verification"), "verifier": outcome.get("verifier"),
            "counted": counted.id if counted else None, "tries": [one.id for one in mine],
            "excluded": [{"try": one.id, "reason": one.body["exclusion"]} for one in mine
                         if one.body["state"] == "finished" and not one.body["valid"]],
            "reviewer": recovery.get("reviewer"),
            "reviews": [link.id for link in ledger if link.body["kind"] == "review"
                        and link.body["payload"].get("task") == attempt["task"]],
        })  # fmt: skip
