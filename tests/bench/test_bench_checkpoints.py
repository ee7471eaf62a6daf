"""What branching from a checkpoint costs: putting the changed files back, against copying the workspace."""

from __future__ import annotations

import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest
from side_by_side import Compare, Round

from harness.layer_store import LayerStore
from harness.sandbox.interface import Limits
from harness.store.blobs import Blobs
from harness.workspace.base import Base
from harness.workspace.files import remove_tree
from harness.workspace.layer import Layer
from harness.workspace.workspace import Workspace
from verifiers.place import Place

pytestmark = pytest.mark.needs_bwrap

SIZES = (2_000, 20_000)
CHANGED = (3, 300)


def _checkpoint(base: Base, place: Place, store: LayerStore, files: int) -> Layer:
    """The state of a workspace in which so many files are new; as an attempt's, in the blobs."""
    with Workspace(base) as workspace:
        sandbox = place.make_sandbox()
        sandbox.start(workspace.mounts, Limits())
        made = f"mkdir new; for n in $(seq {files}); do echo value = $n > new/f$n.py; done"
        assert sandbox.run(made).returncode == 0
        return store.snapshot(workspace)


def _branching(base: Base, place: Place, store: LayerStore, layer: Layer) -> Round:
    """A branch up to and including its first action, the check of its digest within; removed outside."""

    def branch() -> Callable[[], object]:
        workspace = Workspace(base)
        workspace.put_back(layer, {}, store.get)
        sandbox = place.make_sandbox()
        sandbox.start(workspace.mounts, Limits())
        assert sandbox.run("test -e new/f1.py").returncode == 0
        return workspace.close

    return branch


def _copying(tree: Path, folder: Path) -> Round:
    def copy() -> Callable[[], object]:
        target = folder / "branch"
        subprocess.run(["cp", "-a", tree, target], check=True)
        return lambda: remove_tree(target)

    return copy


def test_branching(compare: Compare, place: Place, bench_folder: Path) -> None:
    store = LayerStore(Blobs(bench_folder / "blobs"))
    layer = _checkpoint(place.base, place, store, 3)
    copy, ours = "cp -a of the SymPy tree", "branch on the SymPy tree, 3 changed files"
    things = {copy: _copying(place.base.tree, bench_folder), ours: _branching(place.base, place, store, layer)}
    compare("a branch from a checkpoint up to its first action", things, rounds=15, baseline=copy)


def test_branching_depends_on_the_changed_files_alone(
    compare: Compare, place: Place, made_base: Callable[[int], Base], bench_folder: Path
) -> None:
    store = LayerStore(Blobs(bench_folder / "blobs"))
    things = {}
    for size in SIZES:
        base = made_base(size)
        for changed in CHANGED:
            name = f"branch, {changed} changed of {size:,} files"
            things[name] = _branching(base, place, store, _checkpoint(base, place, store, changed))
    baseline = f"branch, {CHANGED[0]} changed of {SIZES[0]:,} files"
    compare("a branch from a checkpoint up to its first action", things, rounds=10, baseline=baseline)
