"""Runs a stage of kind ``patch_algebra``: composes, ranks, records that, and only then verifies; resumable."""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import Any

from harness.canonical import canonical_json
from harness.errors import InfrastructureError
from harness.layer_store import read_layer
from harness.paths import state_dir
from harness.protocol.freeze import FrozenStage
from harness.protocol.reuse import CompositionPlan
from harness.recovery.composing import compose, ranked
from harness.recovery.counting import changed_lines
from harness.recovery.merging import Merged, Triple, merge_files
from harness.recovery.sources import sources_of
from harness.store.blobs import Blobs
from harness.store.records import StoreConflict
from harness.store.store import Store
from harness.workspace.layer import Layer
from harness.workspace.manifest import decode_name, to_data
from verifiers.kinds import prepare_place
from verifiers.place import Place
from verifiers.verdict import Verdict

#: Judges a composite.
Verify = Callable[[Layer], Verdict]


@dataclass(frozen=True)
class Cell:
    """One task under one runtime of the stage."""

    stage: str
    digest: str
    runtime: str
    task: str

    @property
    def key(self) -> dict[str, str]:
        """What its records are found by."""
        return dict(vars(self))


def run_compositions(
    store: Store, stage: FrozenStage, runtimes: Sequence[str], tasks: Sequence[str], tell: Callable[[str], None],
    verifier: Callable[[Place], Verify] | None = None,
) -> None:
    """Makes and verifies what the records lack.

    Args:
        tell: told of every step in words.
        verifier: gives the judge of a task's composites; None: the task's own verifier.

    Raises:
        InputError, Incomplete: the source stage is not there, or not complete; see ``sources.sources_of``.
        InfrastructureError: a verification failed; what was verified before is on record.
    """
    plan = stage.protocol.composition
    assert plan is not None
    for task in tasks:
        place = prepare_place(stage.tasks[task], stage.protocol.sandbox.kind)
        for runtime in runtimes:
            cell = Cell(stage.protocol.stage, stage.digest, runtime, task)
            made = _made(store, cell, plan, place)
            tell(f"{task} {runtime}: {told(made)}")
            _verify(store, cell, plan, made, verifier(place) if verifier else _own(place), tell)


def told(made: Mapping[str, Any]) -> str:
    """A record of ``compositions_made`` in a line."""
    outcomes = Counter(pair["outcome"] for pair in made["pairs"])
    parts = [f"{len(made['sources'])} sources", f"{made['contents']} contents", f"{len(made['pairs'])} pairs"]
    parts += [f"{outcomes[name]} {name.replace('_', ' ')}"
              for name in ("conflict", "equals_source", "equals_composite", "novel")]  # fmt: skip
    return ", ".join(parts)


def chosen(plan: CompositionPlan, made: Mapping[str, Any]) -> list[dict[str, Any]]:
    """The pairs whose unions are verified, in the order of the ranking."""
    novel = sorted((pair for pair in made["pairs"] if pair["rank"] is not None), key=lambda pair: int(pair["rank"]))
    return novel[: plan.most_per_task]


def _made(store: Store, cell: Cell, plan: CompositionPlan, place: Place) -> dict[str, Any]:
    """The record of all pairs; made, and put on record, if there is none."""
    found = store.reuse("compositions_made", **cell.key)
    if found:
        return found[0]
    blobs, base = Blobs(state_dir() / "blobs"), place.base
    branches = sources_of(store, plan.source, cell.task, cell.runtime, base, blobs.get)

    def of_base(sha256: str) -> bytes:
        path = files.get(sha256)
        return (base.tree / decode_name(path)).read_bytes() if path else blobs.get(sha256)

    files = {entry.sha256 or "": path for path, entry in base.manifest.items() if entry.kind == "file"}

    def merge(triples: Sequence[Triple]) -> Merged:
        return merge_files(triples, of_base, base, place.make_sandbox())

    composed = compose(branches.sources, base.manifest, merge)
    for content in composed.contents.values():
        blobs.put(content)
    for layer in composed.unions.values():
        blobs.put(canonical_json(to_data(layer.manifest)))
    composed = ranked(composed, changed_lines(composed.unions, base, of_base, place.make_sandbox()))
    record = {
        "source_stage": plan.source.stage, "base": base.digest, "rank": plan.rank, "contents": len(branches.contents),
        "sources": [
            {"attempt": one.attempt, "arm": one.arm, "repeat": one.repeat, "layer": one.layer.digest}
            for one in branches.sources
        ],
        "left_out": dict(branches.left_out), "pairs": [pair.data() for pair in composed.pairs],
    }  # fmt: skip
    with suppress(StoreConflict):  # another process was faster, and made the same
        store.put_reuse("compositions_made", cell.key, record)
    return store.reuse("compositions_made", **cell.key)[0]


def _own(place: Place) -> Verify:
    blobs = Blobs(state_dir() / "blobs")
    return lambda layer: place.cached_verifier.verify(layer, blobs.get)


def _verify(
    store: Store, cell: Cell, plan: CompositionPlan, made: Mapping[str, Any], verify: Verify,
    tell: Callable[[str], None],
) -> None:  # fmt: skip
    blobs = Blobs(state_dir() / "blobs")
    done = {row["layer"] for row in store.reuse("composition_verified", **cell.key)}
    for pair in chosen(plan, made):
        if pair["layer"] in done:
            continue
        began = time.monotonic()
        verdict = verify(read_layer(blobs.get, pair["layer"]))
        if verdict.state == "infra_error":
            raise InfrastructureError(f"{cell.task}: composite {pair['layer'][:12]} was not judged: {verdict.detail}")
        passed = sum(state == "pass" for state in verdict.tests.values())
        record = {
            "rank": pair["rank"], "state": verdict.state, "verdict_key": verdict.key, "cached": verdict.cached,
            "seconds": round(time.monotonic() - began, 3), "tests_passed": passed, "tests": len(verdict.tests),
        }  # fmt: skip
        with suppress(StoreConflict):
            store.put_reuse("composition_verified", {**cell.key, "layer": pair["layer"]}, record)
        where = f"rank {pair['rank']}, {pair['layer'][:12]}, {pair['lines']} lines"
        tell(f"{cell.task} {cell.runtime}: {where}: {verdict.state}")
