"""The documented JSON of ``restartlab reverify``, from what the store holds of a stage."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from typing import Any

from harness.importers.detect import Skipped
from harness.store.records import Attempt

#: Exclusions that a further try would meet again: the attempt is done.
FINAL_EXCLUSIONS = ("low_fidelity", "recorded_failure")

_UNKNOWN = {"returncode": None, "exact": None, "masked": None, "first_divergence": None}


def latest(tries: Iterable[tuple[Attempt, dict[str, Any]]]) -> dict[str, tuple[Attempt, dict[str, Any]]]:
    """The try that counts of each attempt, else its last one, by attempt id."""
    found: dict[str, tuple[Attempt, dict[str, Any]]] = {}
    for attempt, facts in tries:
        known = found.get(attempt.id)
        if known is None or not known[1]["valid"]:
            found[attempt.id] = (attempt, facts)
    return found


def entry(attempt: Attempt, facts: Mapping[str, Any], recorded: Mapping[str, bool]) -> dict[str, Any]:
    """One attempt of the document.

    Args:
        recorded: verdicts from elsewhere, by instance id in small letters; they go before the recorded ones.
    """
    said = (facts["outcome"] or {}).get("reverify") or {}
    instance = str(said.get("instance", "")).lower()
    return {
        "attempt": attempt.id, "task": attempt.task, "calls": said.get("calls", facts["calls"]),
        "first_pass_call": said.get("first_pass_call"), "unpassed_at": said.get("unpassed_at"),
        "repassed_at": said.get("repassed_at"), "final_pass": said.get("final_pass"),
        "recorded_pass": recorded.get(instance, said.get("recorded_pass")), "fidelity": said.get("fidelity", _UNKNOWN),
        "calls_after_first_pass": said.get("calls_after_first_pass"),
        "cost_after_first_pass": said.get("cost_after_first_pass"), "excluded": facts["exclusion"],
    }  # fmt: skip


def reverify_document(
    stage: str, tries: Iterable[tuple[Attempt, dict[str, Any]]], wanted: Collection[str],
    recorded: Mapping[str, bool], skipped: Iterable[Skipped],
) -> dict[str, Any]:  # fmt: skip
    """The document on the attempts whose trajectories (SHA-256) are ``wanted``."""
    mine = [
        (attempt, facts) for attempt, facts in latest(tries).values()
        if facts["environment"].get("source_digest") in wanted
    ]  # fmt: skip
    entries = [entry(attempt, facts, recorded) for attempt, facts in mine]
    lost = {attempt.id for attempt, facts in mine if not (facts["outcome"] or {}).get("reverify")}
    return {"attempts": entries, "summary": _summary(stage, entries, mine, lost, len(wanted), skipped)}


def _summary(
    stage: str, entries: list[dict[str, Any]], mine: list[tuple[Attempt, dict[str, Any]]], lost: set[str],
    wanted: int, skipped: Iterable[Skipped],
) -> dict[str, Any]:  # fmt: skip
    done = [one for one in entries if one["attempt"] not in lost]
    passed = [one for one in done if one["first_pass_call"] is not None]
    compared = [one for one in done if one["recorded_pass"] is not None]
    unpassed = [one for one in passed if one["unpassed_at"] is not None]
    differing = [one["attempt"] for one in compared if one["recorded_pass"] != one["final_pass"]]
    costs = [facts["cost_usd"] for attempt, facts in mine if attempt.id not in lost]
    after = [one["cost_after_first_pass"] for one in passed]
    return {
        "stage": stage, "trajectories": wanted, "executed": len(done), "lost": len(lost),
        "excluded": sum(one["excluded"] is not None for one in done), "passed": len(passed),
        "final_pass": sum(bool(one["final_pass"]) for one in done), "compared": len(compared),
        "equal": len(compared) - len(differing), "differing": differing,
        "unpassed_transient": sum(bool(one["final_pass"]) for one in unpassed),
        "unpassed_final": sum(not one["final_pass"] for one in unpassed),
        "calls": sum(one["calls"] for one in done),
        "calls_after_first_pass": sum(one["calls_after_first_pass"] for one in passed),
        "cost_usd": None if None in costs else float(sum(costs)),
        "cost_after_first_pass": None if None in after else float(sum(after)),
        "skipped": [{"file": one.file, "reason": one.reason, "damaged": one.damaged} for one in skipped],
    }  # fmt: skip
