"""What was planned, what really ran, and where the two differ: a record per system of a stage."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterator, Mapping, Sequence
from typing import Any

from harness.canonical import canonical_json
from harness.evidence.writing import Draft

#: What identifies the machine and software of a try, from its environment and outcome.
_HOST = ("revision", "restartlab", "python", "kernel", "machine", "packages")
_OUTCOME = ("model_returned", "sandbox", "sandbox_tools")

#: What is one of a task, from the outcomes of its tries.
_OF_TASK = ("base", "verifier")


def conditions(drafts: Collection[Draft]) -> Iterator[Draft]:
    """Planned against realised conditions, by runtime."""
    stage = next(draft.body for draft in drafts if draft.kind == "stage")
    protocol = (stage["protocol"] or {}).get("protocol") or {}
    attempts = [draft.body for draft in drafts if draft.kind == "attempt"]
    tries = [draft.body for draft in drafts if draft.kind == "try"]
    for runtime in sorted({attempt["runtime"] for attempt in attempts}):
        mine = [attempt for attempt in attempts if attempt["runtime"] == runtime]
        planned = _planned(protocol, stage, runtime, mine)
        realised = _realised([one for one in tries if one["runtime"] == runtime])
        yield Draft("conditions", f"conditions/{runtime}", {
            "stage": stage["stage"], "digest": stage["digest"], "runtime": runtime, "planned": planned,
            "realised": realised, "differences": differences(planned, realised, len(mine)),
        })  # fmt: skip


def _planned(
    protocol: Mapping[str, Any], stage: Mapping[str, Any], runtime: str, attempts: Sequence[Mapping[str, Any]]
) -> dict[str, Any]:
    whole = stage["protocol"] or {}
    return {
        "attempts": len(attempts), "tasks": whole.get("tasks") or sorted({one["task"] for one in attempts}),
        "arms": sorted({one["arm"] for one in attempts}), "horizons": sorted({one["horizon"] for one in attempts}),
        "repeats": protocol.get("repeats"), "runtime": (protocol.get("runtimes") or {}).get(runtime),
        "agent": protocol.get("agent"), "limits": protocol.get("limits"), "sandbox": protocol.get("sandbox"),
        "retry": protocol.get("retry"), "verification": protocol.get("verification"),
        "prompts_digest": whole.get("prompts"),
    }  # fmt: skip


def _realised(tries: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    ended = [one for one in tries if one["state"] == "finished"]
    environments = [one["environment"] or {} for one in tries]
    outcomes = [one["outcome"] or {} for one in ended]
    return {
        "tries": len(tries), "running": len(tries) - len(ended), "counted": sum(bool(one["valid"]) for one in ended),
        "excluded": dict(sorted(Counter(one["exclusion"] for one in ended if not one["valid"]).items())),
        "unknown_costs": sum(one["cost_usd"] is None for one in ended),
        "first": min((one["started_at"] for one in tries), default=None),
        "last": max((one["ended_at"] for one in ended), default=None),
        **{name: _values(one.get(name) for one in environments) for name in _HOST},
        **{name: _values(one.get(name) for one in outcomes) for name in _OUTCOME},
        "tasks": {
            task: {name: _values((one["outcome"] or {}).get(name) for one in ended if one["task"] == task)
                   for name in _OF_TASK}
            for task in sorted({one["task"] for one in ended})
        },
    }  # fmt: skip


def _values(values: Iterator[Any]) -> list[dict[str, Any]]:
    """Distinct values with the number of tries of each, most frequent first."""
    counts: Counter[bytes] = Counter()
    known: dict[bytes, Any] = {}
    for value in values:
        key = canonical_json(value)
        counts[key] += 1
        known[key] = value
    return [{"value": known[key], "tries": count} for key, count in sorted(counts.items(), key=lambda x: (-x[1], x[0]))]


def differences(planned: Mapping[str, Any], realised: Mapping[str, Any], attempts: int) -> list[str]:
    """Where what ran departs from the plan, or from itself, in words."""
    found = []
    if realised["counted"] != attempts:
        found.append(f"{attempts - realised['counted']} of {attempts} planned attempts have no counted try")
    lost = sum(realised["excluded"].values())
    if lost:
        found.append(f"{lost} tries were excluded")
    wanted = ((planned["runtime"] or {}).get("model") or {}).get("name")
    for row in realised["model_returned"]:
        if wanted and row["value"] is not None and str(row["value"]) not in (wanted, wanted.rpartition("/")[2]):
            found.append(f"model {row['value']} was returned in {row['tries']} tries, {wanted} was asked for")
    kind = (planned["sandbox"] or {}).get("kind")
    for row in realised["sandbox"]:
        if kind and row["value"] not in (kind, None):
            found.append(f"sandbox {row['value']} ran {row['tries']} tries, {kind} was planned")
    several = {name: realised[name] for name in (*_HOST, *_OUTCOME)}
    several |= {f"{task}: {name}": rows[name] for task, rows in realised["tasks"].items() for name in _OF_TASK}
    for name, rows in several.items():
        known = [row for row in rows if row["value"] is not None]
        if len(known) > 1:
            found.append(f"{name} took {len(known)} values")
    if any(str(row["value"]).endswith("+dirty") for row in realised["revision"]):
        found.append("the code differed from its revision (dirty)")
    return found
