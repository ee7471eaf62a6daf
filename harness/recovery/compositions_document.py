"""The compositions of a stage of kind patch_algebra as one document, from the records of the store."""

from __future__ import annotations

from collections import Counter
from typing import Any

from harness.store.store import Store

_COUNTED = ("sources", "contents", "pairs", "conflict", "equal", "novel", "verified", "passed")


def compositions_document(store: Store, stage: str) -> dict[str, Any] | None:
    """What became of the pairs, per runtime and task and per runtime; None where nothing is on record.

    ``verified`` counts verifier calls, ``passed`` those that the verifier passed; ``equal``: unions that are a source
    or that of another pair.
    """
    made = store.reuse("compositions_made", stage=stage)
    if not made:
        return None
    record = store.stage(stage)
    origins = {attempt.runtime: attempt.origin for attempt in store.attempts(made[0]["source_stage"])}
    rows = [_task(store, one) for one in made]
    return {
        "stage": stage,
        "digest": made[0]["digest"],
        "source_stage": made[0]["source_stage"],
        "rank": made[0]["rank"],
        "most_per_task": ((record.protocol if record else {}) or {}).get("protocol", {}).get("composition", {})
        .get("most_per_task"),
        "origins": sorted({origins[row["runtime"]] for row in rows if row["runtime"] in origins}),
        "tasks": rows,
        "totals": [
            {"runtime": name, **{key: sum(row[key] for row in rows if row["runtime"] == name) for key in _COUNTED}}
            for name in sorted({row["runtime"] for row in rows})
        ],
    }  # fmt: skip


def compositions_with(store: Store, source_stage: str) -> list[dict[str, Any]]:
    """The documents of all stages that composed failed patches of ``source_stage``."""
    stages = sorted({one["stage"] for one in store.reuse("compositions_made") if one["source_stage"] == source_stage})
    return [document for stage in stages if (document := compositions_document(store, stage))]


def _task(store: Store, made: dict[str, Any]) -> dict[str, Any]:
    key = {name: made[name] for name in ("stage", "digest", "runtime", "task")}
    calls = store.reuse("composition_verified", **key)
    outcomes = Counter(pair["outcome"] for pair in made["pairs"])
    return {
        "runtime": made["runtime"],
        "task": made["task"],
        "sources": len(made["sources"]),
        "contents": made["contents"],
        "left_out": {why: made["left_out"].get(why, 0) for why in ("verified", "empty")},
        "pairs": len(made["pairs"]),
        "conflict": outcomes["conflict"],
        "equal": outcomes["equals_source"] + outcomes["equals_composite"],
        "novel": outcomes["novel"],
        "verified": len(calls),
        "passed": sum(call["state"] == "pass" for call in calls),
        "calls": [
            {name: call[name] for name in ("rank", "layer", "state", "tests_passed", "tests", "seconds")}
            for call in sorted(calls, key=lambda call: int(call["rank"]))
        ],
    }
