"""Puts every checkpoint of a stage back and compares its digests, as each episode does before it begins."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from typing import NamedTuple

from harness.checkpoints.episode import Episode
from harness.errors import InputError
from harness.paths import state_dir
from harness.protocol.freeze import FrozenStage
from harness.protocol.recovery import RecoveryAction
from harness.store.blobs import BlobError, Blobs
from harness.store.checkpoints import Checkpoint
from harness.workspace.workspace import Workspace
from verifiers.kinds import prepare_place

_KEEP = RecoveryAction(name="keep", workspace="keep", context="keep")


class Checked(NamedTuple):
    """A checkpoint, and why it cannot be gone on from; empty when it can."""

    checkpoint: Checkpoint
    problem: str


def verify_checkpoints(stage: FrozenStage, checkpoints: Iterable[Checkpoint]) -> Iterator[Checked]:
    """One by one; nothing is written but what is removed again."""
    blobs = Blobs(state_dir() / "blobs")
    places = {name: prepare_place(task, stage.protocol.sandbox.kind) for name, task in stage.tasks.items()}
    for one in checkpoints:
        problem = ""
        try:
            with Workspace(places[one.task].base) as workspace:
                Episode(one, _KEEP).put_back(workspace, blobs.get)
            if one.messages is not None:
                json.loads(blobs.get(one.messages))
        except (InputError, BlobError, ValueError) as error:
            problem = error.what if isinstance(error, InputError) else str(error)
        yield Checked(one, problem)
