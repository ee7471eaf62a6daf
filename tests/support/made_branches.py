"""Failed branches made by hand: a stage whose attempts left what a test says, in the tiny laboratory."""

from __future__ import annotations

import shutil
from collections.abc import Mapping, Sequence

import yaml
from tiny_lab import TinyLab

from harness.canonical import canonical_json, digest_bytes
from harness.paths import state_dir
from harness.plan import expand
from harness.protocol.freeze import freeze, require_frozen
from harness.store.blobs import Blobs
from harness.store.controller import Controller
from harness.store.records import ActionRecord, Attempt, TryResult
from harness.store.store import Store
from harness.workspace.layer import Layer
from harness.workspace.manifest import Entry, to_data

#: Files by path: new content, or None where the file is deleted.
Changes = Mapping[str, str | None]

CORE = "def double(n):\n    return n + 2\n\n\ndef half(n):\n    return n / 2\n"


def copy_task(lab: TinyLab, number: int) -> str:
    """Another task ``tiny-NUMBER``, the same as the first; its id."""
    target = lab.task.with_name(str(number))
    shutil.copytree(lab.task, target)
    spec = yaml.safe_load((target / "task.yaml").read_text())
    (target / "task.yaml").write_text(yaml.safe_dump({**spec, "id": f"tiny-{number}"}, sort_keys=False))
    return f"tiny-{number}"


def layer_of(changes: Changes, blobs: Blobs) -> Layer:
    """The layer that makes these changes, its contents kept."""
    manifest = {}
    for path, text in sorted(changes.items()):
        data = (text or "").encode()
        manifest[path] = Entry("whiteout") if text is None else Entry("file", 0o644, digest_bytes(data), len(data))
        if text is not None:
            blobs.put(data)
    layer = Layer(manifest)
    blobs.put(canonical_json(to_data(layer.manifest)))
    return layer


def collect_by_hand(store: Store, stage: str, left: Mapping[str, Sequence[Changes | str]]) -> list[Attempt]:
    """Freezes and "collects" a stage of two arms.

    Args:
        left: per task what its attempts left, repeat by repeat and arm by arm; ``verified``: the attempt passed.
    """
    freeze(stage)
    frozen = require_frozen(stage)
    store.register_stage(stage, frozen.digest, {"protocol": frozen.protocol.model_dump(mode="json", by_alias=True)})
    planned = expand(frozen.protocol, frozen.digest, ("scripted",))
    store.plan(planned)
    blobs, me = Blobs(state_dir() / "blobs"), Controller.current()
    waiting = {task: list(some) for task, some in left.items()}
    for attempt in planned:
        what = waiting[attempt.task].pop(0)
        key = store.start_try(attempt.id, me, {})
        store.finish_try(key, _result(what, blobs))
    assert not any(waiting.values())
    return planned


def _result(what: Changes | str, blobs: Blobs) -> TryResult:
    if what == "verified":
        return TryResult("verified", 3, 3, 1.0, action=0, cost_usd=0.0)
    assert not isinstance(what, str)
    layer = layer_of(what, blobs)
    action = ActionRecord(2, 0, digest_bytes(b"edit"), 0, 0.1, layer.digest, layer.verdict_key, "fail")
    return TryResult("terminal", 4, 4, 1.0, reason="repeated_format_error", cost_usd=0.0, actions=(action,))
