"""Tries that a dead controller left running: excluded as interrupted, with what their trajectory still tells."""

from __future__ import annotations

import io
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from typing import Any

from harness.outcome import known_total
from harness.paths import state_dir
from harness.recorder import action_flags, command_digest, read_lines
from harness.store.blobs import Blobs
from harness.store.records import ActionRecord, StoreConflict
from harness.store.store import Store


def trajectory_file(name: str) -> Path:
    """Where a running try writes its trajectory."""
    return state_dir() / "tries" / name


def keep_trajectory(path: Path, blobs: Blobs) -> str | None:
    """Copies a trajectory file into the blobs; its digest, None when there is no file.

    The file itself goes (``path.unlink``) once the try's end is in the store: a kill between the two loses nothing.
    """
    return blobs.put_file(path) if path.exists() else None


def recorded_progress(path: Path) -> dict[str, Any]:
    """Calls, cost, actions of a try as far as its trajectory goes; keywords for ``Store.exclude_try``."""
    calls, costs = 0, []
    actions: dict[tuple[int, int], ActionRecord] = {}
    with open(path, "rb") if path.exists() else io.BytesIO() as stream:
        for line in read_lines(stream):
            if line["type"] == "call" or line["type"] == "monitor":
                calls = int(line["call"])
                costs.append(line["cost_usd"])
            elif line["type"] == "action":
                actions[line["call"], line["action"]] = _action(line["call"], line["action"], line)
            elif line["type"] == "verdict" and (ran := actions.get((line["call"], line["action"]))):
                actions[line["call"], line["action"]] = replace(ran, **_judged(line))
    return {"calls": calls, "cost_usd": known_total(costs), "done": tuple(actions[place] for place in sorted(actions))}


def _judged(verdict: dict[str, Any]) -> dict[str, Any]:
    return {
        "layer_digest": verdict["layer"], "verdict_key": verdict["key"], "verdict_state": verdict["state"],
        "verdict_seconds": verdict["seconds"], "cached": verdict["cached"],
    }  # fmt: skip


def _action(call: int, action: int, ran: dict[str, Any]) -> ActionRecord:
    return ActionRecord(
        call=call, action=action, command=command_digest(ran["command"]),
        returncode=None if ran["limit"] else ran["returncode"], seconds=ran["seconds"], flags=action_flags(ran),
    )  # fmt: skip


def exclude_lost_try(store: Store, try_id: int, path: Path, exclusion: str, detail: str) -> None:
    """Ends a try whose process is gone, keeping its trajectory."""
    progress = recorded_progress(path)
    trajectory = keep_trajectory(path, Blobs(state_dir() / "blobs"))
    store.exclude_try(try_id, exclusion, trajectory=trajectory, outcome={"detail": detail}, **progress)
    path.unlink(missing_ok=True)


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
        with suppress(StoreConflict):  # another controller was faster
            exclude_lost_try(store, left.try_id, path, "interrupted", "the controller ended while the try ran")
            count += 1
    return count


def sweep_trajectories(store: Store) -> int:
    """Removes trajectory files whose try has ended: their controller was killed before it could; how many."""
    folder = trajectory_file("any").parent
    names = {path.name for path in folder.glob("*.jsonl")} if folder.exists() else set()
    ended = store.ended_among(names) if names else set()
    for name in ended:
        trajectory_file(name).unlink(missing_ok=True)
    return len(ended)
