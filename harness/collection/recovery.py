"""Tries that a dead controller left running: excluded as interrupted, with what their trajectory still tells."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from harness.outcome import known_total
from harness.paths import state_dir
from harness.recorder import action_flags, command_digest, read_trajectory
from harness.store.blobs import Blobs
from harness.store.records import ActionRecord
from harness.store.store import Store


def trajectory_file(name: str) -> Path:
    """Where a running try writes its trajectory."""
    return state_dir() / "tries" / name


def keep_trajectory(path: Path, blobs: Blobs) -> str | None:
    """Moves a trajectory file into the blobs; its digest, None when there is no file."""
    if not path.exists():
        return None
    digest = blobs.put_file(path)
    path.unlink()
    return digest


def recorded_progress(path: Path) -> dict[str, Any]:
    """Calls, cost, actions of a try as far as its trajectory goes; keywords for ``Store.exclude_try``."""
    data = path.read_bytes() if path.exists() else b""
    calls, costs = 0, []
    actions: dict[tuple[int, int], dict[str, Any]] = {}
    for line in read_trajectory(data):
        if line["type"] == "call":
            calls = int(line["call"])
            costs.append(line["cost_usd"])
        elif line["type"] in ("action", "verdict"):
            actions.setdefault((line["call"], line["action"]), {})[line["type"]] = line
    return {
        "calls": calls,
        "cost_usd": known_total(costs),
        "done": tuple(_action(*place, found) for place, found in sorted(actions.items()) if "action" in found),
    }


def _action(call: int, action: int, found: dict[str, Any]) -> ActionRecord:
    ran, verdict = found["action"], found.get("verdict", {})
    return ActionRecord(
        call=call, action=action, command=command_digest(ran["command"]),
        returncode=None if ran["limit"] else ran["returncode"], seconds=ran["seconds"],
        layer_digest=verdict.get("layer"), verdict_key=verdict.get("key"), verdict_state=verdict.get("state"),
        verdict_seconds=verdict.get("seconds"), cached=verdict.get("cached", False),
        flags=action_flags(ran),
    )  # fmt: skip


def exclude_lost_try(store: Store, try_id: int, path: Path, exclusion: str, detail: str) -> None:
    """Ends a try whose process is gone, keeping its trajectory."""
    progress = recorded_progress(path)
    trajectory = keep_trajectory(path, Blobs(state_dir() / "blobs"))
    store.exclude_try(try_id, exclusion, trajectory=trajectory, outcome={"detail": detail}, **progress)


def recover_dead_tries(store: Store, stage: str) -> int:
    """Excludes the running tries of ``stage`` whose controller is dead; how many.

    A controller that cannot be seen from here (another machine or container) counts as dead when its lease is over.
    """
    count = 0
    running = store.running_tries(stage)
    unseen = {left.controller.id: left.controller for left in running if left.controller.life() == "elsewhere"}
    expired = store.expired_leases(unseen.values()) if unseen else set()
    for left in running:
        if left.controller.id in unseen:
            if left.controller.id not in expired:
                continue
        elif left.controller.life() != "dead":
            continue
        (view,) = (one for one in store.attempt(left.attempt_id).tries if one.facts["id"] == left.try_id)
        path = trajectory_file(view.facts["environment"]["trajectory_file"])
        exclude_lost_try(store, left.try_id, path, "interrupted", "the controller ended while the try ran")
        count += 1
    return count
