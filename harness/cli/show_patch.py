"""Writes a recorded state of an attempt as a git patch."""

from __future__ import annotations

import json
from typing import BinaryIO

from harness.cli.text import one_line
from harness.errors import InputError
from harness.paths import state_dir
from harness.store.blobs import Blobs
from harness.store.records import AttemptView, TryView
from harness.workspace.layer import Layer
from harness.workspace.manifest import from_data
from harness.workspace.patch import export_patch


def write_patch(view: AttemptView, call: int | None, out: BinaryIO) -> list[str]:
    """Writes the state after ``call`` (None: the last recorded one) against the base, of the try that counts.

    Without a try that counts it is the last one's.

    Returns:
        A line for each change that a patch cannot hold.
    """
    from tasks.registry import load_task
    from verifiers.kinds import prepare_place

    attempt, one = view.attempt, _chosen(view)
    digest = _layer_digest(attempt.id, one, call)
    if digest is None:
        return []
    outcome = one.facts.get("outcome") or {}
    place = prepare_place(load_task(attempt.task), str(outcome.get("sandbox") or "bubblewrap"))
    if outcome.get("base") not in (None, place.base.digest):
        made_on, now = outcome["base"][:12], place.base.digest[:12]
        raise InputError(
            f"attempt {attempt.id[:12]} was made on base {made_on}, and the task {attempt.task} has base {now}",
            mend="use the revision that collected it",
        )
    blobs = Blobs(state_dir() / "blobs")
    layer = Layer(from_data(json.loads(blobs.get(digest))))
    left_out = export_patch(layer, place.base, blobs.get, place.make_sandbox(), out)
    return [f"not in the patch: {one_line(path, 200)}: {what}" for path, what in sorted(left_out.items())]


def _chosen(view: AttemptView) -> TryView:
    if not view.tries:
        raise InputError(f"attempt {view.attempt.id[:12]} has no try yet", mend="collect its stage first")
    return next((one for one in view.tries if one.facts["valid"]), view.tries[-1])


def _layer_digest(attempt: str, one: TryView, call: int | None) -> str | None:
    """Digest of the state after ``call``; None where nothing was done until then."""
    calls = one.facts["calls"] or 0
    if call is not None and not 1 <= call <= calls:
        raise InputError(f"attempt {attempt[:12]} has calls 1 to {calls}", file="--call", mend="give one of them")
    done = [action.layer_digest for action in one.actions if call is None or action.call <= call]
    if not done and (one.facts.get("outcome") or {}).get("base"):
        return None
    if not done or done[-1] is None:
        raise InputError(f"no workspace was recorded of attempt {attempt[:12]}", mend="choose a collected attempt")
    return done[-1]
