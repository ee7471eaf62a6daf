"""Records for the tests of the store."""

from __future__ import annotations

from typing import Any

from harness.canonical import digest_bytes, digest_json
from harness.store.controller import Controller
from harness.store.records import ActionRecord, Attempt, TryResult
from harness.store.store import Store

DIGEST = digest_bytes(b"protocol")
ME = Controller.current()


def attempt(repeat: int = 1, **changes: Any) -> Attempt:
    """An attempt of stage pilot30, its id derived from the rest."""
    facts: dict[str, Any] = {
        "stage": "pilot30",
        "digest": DIGEST,
        "task": "sympy-1",
        "runtime": "scripted",
        "arm": "baseline",
        "repeat": repeat,
        "horizon": 30,
        "origin": "synthetic",
    } | changes
    return Attempt(id=digest_json(facts), **facts)


def action(call: int, index: int = 0, **changes: Any) -> ActionRecord:
    """An action that ran and failed verification."""
    facts: dict[str, Any] = {
        "command": digest_bytes(b"git diff"),
        "returncode": 0,
        "seconds": 0.1 * call,
        "verdict_state": "fail",
        "flags": {"truncated": False},
    }
    return ActionRecord(call=call, action=index, **(facts | changes))


def verified(call: int = 7, **changes: Any) -> TryResult:
    """A try that passed at ``call``."""
    facts: dict[str, Any] = {"calls": call, "wall_s": 1.5, "action": 0, "cost_usd": 0.25}
    return TryResult("verified", call, **(facts | changes))


def planned(store: Store, *attempts: Attempt) -> None:
    """Registers the stages of the attempts and plans them."""
    for stage, digest in {(item.stage, item.digest) for item in attempts}:
        store.register_stage(stage, digest, {"stage": stage, "repeats": 5})
    store.plan(attempts)
