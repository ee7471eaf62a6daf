"""Judges recorded workspace states again, in a worker: no agent, the verifier as it is now."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from json import loads

from harness.paths import state_dir
from harness.store.blobs import BlobError, Blobs
from harness.workspace.layer import Layer
from harness.workspace.manifest import from_data
from tasks.registry import load_task
from verifiers.kinds import prepare_place
from verifiers.place import Place


@dataclass(frozen=True)
class State:
    """A workspace state as recorded."""

    key: str
    """The verdict key: states of one key are the same to an evaluator."""
    layers: tuple[str, ...]
    """Digests of the layers that have this key; one whole blob among them is enough."""
    base: str | None
    """Digest of the base that the layers lie on, None when it was not recorded."""


@dataclass(frozen=True)
class Batch:
    """States of one task to judge; plain data that travels to a worker."""

    task: str
    task_digest: str
    sandbox: str
    states: tuple[State, ...]


@dataclass(frozen=True)
class Judged:
    """What came of one state: a verdict's state, or one word and a text that say why there is none."""

    key: str
    base: str | None
    verdict: str | None
    cached: bool = False
    problem: str = ""
    detail: str = ""


@dataclass(frozen=True)
class BatchResult:
    """The verifier that judged (its digest), and what came of each state."""

    verifier: str
    judged: tuple[Judged, ...]


@lru_cache(maxsize=4)
def _place(task_id: str, task_digest: str, sandbox: str) -> Place | None:
    task = load_task(task_id)
    return prepare_place(task, sandbox) if task.digest == task_digest else None


def judge_batch(batch: Batch) -> BatchResult:
    """Judges the states of a batch; known verdicts are not made again."""
    place = _place(batch.task, batch.task_digest, batch.sandbox)
    if place is None:
        detail = f"{batch.task} changed while it was regraded"
        lost = (Judged(one.key, one.base, None, problem="task_changed", detail=detail) for one in batch.states)
        return BatchResult("", tuple(lost))
    return BatchResult(place.verifier.digest, tuple(_judge(state, place) for state in batch.states))


def _judge(state: State, place: Place) -> Judged:
    if state.base is not None and state.base != place.base.digest:
        detail = f"recorded on base {state.base[:12]}, but {place.task.id} has the base {place.base.digest[:12]} now"
        return Judged(state.key, state.base, None, problem="base_changed", detail=detail)
    blobs, torn = Blobs(state_dir() / "blobs"), ""
    for digest in state.layers:
        try:
            layer = Layer(from_data(loads(blobs.get(digest))))
            verdict = place.cached_verifier.verify(layer, blobs.get)
        except BlobError as error:
            torn = str(error)
            continue
        if verdict.state == "infra_error":
            return Judged(state.key, state.base, None, problem="verifier_failure", detail=verdict.detail)
        return Judged(state.key, state.base, verdict.state, verdict.cached)
    return Judged(state.key, state.base, None, problem="blob_lost", detail=torn)
