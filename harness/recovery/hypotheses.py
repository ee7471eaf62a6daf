"""What a resolver is told: every distinct failed patch of its task, each labelled as a hypothesis that failed."""

from __future__ import annotations

import io
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress

from harness.canonical import digest_bytes
from harness.errors import InputError
from harness.paths import state_dir
from harness.protocol.freeze import FrozenStage
from harness.protocol.reuse_rules import PATCHES
from harness.protocol.schema import Protocol
from harness.recovery.sources import sources_of
from harness.store.blobs import Blobs
from harness.store.records import StoreConflict
from harness.store.store import Store
from harness.workspace.layer import Layer
from harness.workspace.patch import export_patch
from verifiers.kinds import prepare_place
from verifiers.place import Place

_LABEL = "Failed hypothesis {number} of {count}: this patch was tried, and it does not resolve the issue."

#: By (runtime, task): the text in the place of ``{patches}``.
Told = Mapping[tuple[str, str], str]


def hypotheses_of(store: Store, stage: FrozenStage, runtimes: Sequence[str], tasks: Sequence[str]) -> Told:
    """The texts of a resolver stage. Their digests go on record before the first attempt, and are checked ever after.

    Raises:
        InputError: a task has no failed patch, or its text is another one than before.
        Incomplete: the source stage is not completely collected.
    """
    plan = stage.protocol.hypotheses
    if plan is None:
        return {}
    blobs, told = Blobs(state_dir() / "blobs"), {}
    for task in tasks:
        place = prepare_place(stage.tasks[task], stage.protocol.sandbox.kind)
        for runtime in runtimes:
            found = sources_of(store, plan.source, task, runtime, place.base, blobs.get)
            if not found.contents:
                raise InputError(
                    f"{plan.source.stage} left no failed patch of {task}, {runtime}",
                    file=f"{stage.protocol.stage}.yaml", key="hypotheses.source.stage",
                    mend="leave the task out with --task, or choose another runtime",
                )  # fmt: skip
            text = labelled([_patch(layer, place, blobs.get) for layer in found.contents])
            key = {"stage": stage.protocol.stage, "digest": stage.digest, "runtime": runtime, "task": task}
            record = {"text": digest_bytes(text.encode()), "layers": [layer.digest for layer in found.contents]}
            with suppress(StoreConflict):
                store.put_reuse("hypotheses_told", key, record)
            before = store.reuse("hypotheses_told", **key)[0]
            if before["text"] != record["text"]:
                raise InputError(
                    f"{task}, {runtime}: the failed patches are not those of {before['at']}", file="database",
                    mend="restore the source stage, or give the resolver a new stage name",
                )  # fmt: skip
            told[runtime, task] = text
    return told


def labelled(patches: Sequence[str]) -> str:
    """All patches with their labels."""
    count = len(patches)
    return "\n\n".join(
        f"{_LABEL.format(number=number, count=count)}\n\n```diff\n{patch.rstrip()}\n```"
        for number, patch in enumerate(patches, 1)
    )


def telling(protocol: Protocol, text: str) -> Protocol:
    """The protocol with ``text`` in the messages of its arms; it is run, never digested."""
    arms = []
    for arm in protocol.arms:
        if arm.action is None or arm.action.message is None:
            arms.append(arm)
            continue
        action = arm.action.model_copy(update={"message": arm.action.message.replace(PATCHES, text)})
        arms.append(arm.model_copy(update={"action": action}))
    return protocol.model_copy(update={"arms": arms})


def _patch(layer: Layer, place: Place, content: Callable[[str], bytes]) -> str:
    out = io.BytesIO()
    export_patch(layer, place.base, content, place.make_sandbox(), out)
    return out.getvalue().decode("utf-8", "replace")
