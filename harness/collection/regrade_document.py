"""A regrade as plain data: what ``regrade --json`` prints, and what its table is made from."""

from __future__ import annotations

from collections import Counter
from typing import Any

from harness.collection.regrade import Outcome
from harness.collection.regraded_event import STOPPED_EARLY
from harness.store.regrades import RecordedTry, RegradedEvent

_EVENTS = ("verified", "terminal", "censored")
_KEY = ("task", "runtime", "arm", "repeat")


def document(outcome: Outcome) -> dict[str, Any]:
    """The documented JSON (docs/schemas/regrade.json)."""
    regrade = outcome.regrade
    return {
        "stage": regrade.stage,
        "digest": regrade.digest,
        "regrade": regrade.id,
        "at": regrade.at,
        "complete": not outcome.problems,
        "tasks": [
            {"task": name, **regrade.verifiers[name], **{key: counts[key] for key in ("states", "judged", "cached")}}
            for name, counts in outcome.tasks.items()
        ],
        "cells": list(_cells(outcome).values()),
        "differing": [
            {**_named(one), "before": _event(one.event), "after": _event(new)}
            for one in outcome.tries
            if (new := outcome.regraded[one.id].event) is not None and new != one.event
        ],
        "problems": [vars(problem) for problem in outcome.problems],
    }


def _cells(outcome: Outcome) -> dict[tuple[str, ...], dict[str, Any]]:
    cells: dict[tuple[str, ...], dict[str, Any]] = {}
    counters: dict[tuple[str, ...], Counter[str]] = {}
    for one in outcome.tries:
        new, attempt = outcome.regraded[one.id].event, one.attempt
        key = (attempt.task, attempt.runtime, attempt.arm)
        count = counters.setdefault(key, Counter())
        count["attempts"] += 1
        count[f"before {one.event.event}"] += 1
        if new is None:
            count["not_regraded"] += 1
            continue
        count[f"after {new.event}"] += 1
        count["differ"] += new != one.event
        count["stopped_early"] += new.reason == STOPPED_EARLY
    for place, count in counters.items():
        cells[place] = {
            **dict(zip(("task", "runtime", "arm"), place, strict=True)),
            "attempts": count["attempts"],
            **{when: {event: count[f"{when} {event}"] for event in _EVENTS} for when in ("before", "after")},
            **{name: count[name] for name in ("differ", "stopped_early", "not_regraded")},
        }
    return cells


def _named(one: RecordedTry) -> dict[str, Any]:
    return {"attempt": one.attempt.id, **{name: getattr(one.attempt, name) for name in _KEY}, "try": one.number}


def _event(event: RegradedEvent) -> dict[str, Any]:
    return dict(vars(event))
