"""The node's side of the Ray engine: runs a job in a worker process of this machine, and sends back what it left.

A node shares no disk with the controller. Its worker writes trajectory and blobs below a state directory of the node;
they go back with the answer, and the controller alone keeps them.
"""

from __future__ import annotations

import hashlib
import json
import os
import secrets
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from functools import lru_cache
from pathlib import Path
from typing import Any

from harness.attempt import Unit
from harness.engines.local import LocalEngine
from harness.engines.worker import Failure
from harness.locks import is_free, locked, take
from harness.paths import PROJECT, cache_dir, state_dir
from harness.recorder import read_trajectory
from harness.store.blobs import Blobs
from harness.workspace.files import remove_tree


@dataclass(frozen=True)
class Shipment:
    """What a job gave, and what must reach the controller's state directory."""

    result: Any
    failure: Failure | None
    trajectory: bytes | None = None
    blobs: dict[str, bytes] = field(default_factory=dict)


@lru_cache(maxsize=1)
def code_digest() -> str:
    """SHA-256 over this checkout's Python files: nodes must run what the controller runs."""
    found = hashlib.sha256()
    for package in ("harness", "verifiers", "tasks", "analysis"):
        for path in sorted((PROJECT / package).rglob("*.py")):
            found.update(f"{path.relative_to(PROJECT)}\0".encode() + path.read_bytes() + b"\0")
    return found.hexdigest()


def node_facts(pythons: tuple[str, ...], sandbox: str) -> dict[str, str]:
    """What must be the same on every machine of a collection.

    Raises:
        InputError: this machine does not run that kind of sandbox.
    """
    from harness.doctor import require_sandbox
    from harness.sandbox.interpreter import choose

    require_sandbox(sandbox)
    return {"code of restartlab": code_digest(), "Python of the sandbox": choose(pythons).full_version}


_engine: LocalEngine | None = None


@lru_cache(maxsize=1)
def own_folder(parent: Path) -> Path:
    """This process's folder below ``parent``; those of processes that were killed are removed."""
    with locked(parent / "lock"):  # nobody sees the folder without its lock
        for folder in [path for path in parent.iterdir() if path.is_dir() and is_free(path / "lock")]:
            remove_tree(folder)
        folder = parent / secrets.token_hex(8)
        folder.mkdir()
        take(folder / "lock")
    return folder


def perform(job: tuple[str, Any], node: str, carried: Sequence[bytes] = ()) -> Shipment:
    """Runs one job on this node.

    Args:
        node: the node's id; its state lies in a folder of that name, in the cache directory.
        carried: blobs that the job needs.
    """
    global _engine
    if _engine is None:
        os.environ["RESTARTLAB_STATE"] = os.environ.get("RESTARTLAB_NODE_STATE") or str(cache_dir() / "nodes" / node)
        _engine = LocalEngine(1)
    for blob in carried:
        Blobs(state_dir() / "blobs").put(blob)
    kind, payload = job
    trajectory: Path | None = None
    if kind == "try":
        assert isinstance(payload, Unit)
        trajectory = own_folder(state_dir() / "tries") / payload.trajectory.name
        job = (kind, replace(payload, trajectory=trajectory))
    _engine.submit("job", job)
    while True:
        for answer in _engine.answers(1.0):
            said = None
            if trajectory is not None and trajectory.exists():
                said = trajectory.read_bytes()
                trajectory.unlink()
            return Shipment(answer.result, answer.failure, said, _blobs_of(answer.result, said))


def _blobs_of(result: Any, trajectory: bytes | None) -> dict[str, bytes]:
    """All blobs that a try's actions name: layers' manifests, /tmp and home among them, and the files in them."""
    blobs, found = Blobs(state_dir() / "blobs"), {}
    digests = {action.layer_digest for action in getattr(result, "actions", ()) if action.layer_digest}
    if digests:
        for line in read_trajectory(trajectory or b""):
            digests.update((line.get("scratch") or {}).values())
    for digest in digests:
        found[digest] = blobs.get(digest)
        for entry in json.loads(found[digest]).values():
            if content := entry.get("sha256"):
                found[content] = blobs.get(content)
    return found
