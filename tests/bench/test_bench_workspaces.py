"""What a workspace costs: until its first action is done, and for the digest of its state."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest
from side_by_side import Compare, Round

from harness.sandbox.interface import Limits
from harness.store.blobs import Blobs
from harness.workspace.base import Base
from harness.workspace.files import remove_tree
from harness.workspace.workspace import Workspace
from verifiers.place import Place

pytestmark = pytest.mark.needs_bwrap

SIZES = (2_000, 20_000)
_GIT = {"PATH": os.environ["PATH"], "HOME": "/nonexistent", "GIT_CONFIG_NOSYSTEM": "1"}


def _creating(base: Base, place: Place) -> Round:
    """A workspace up to and including its first action; removed outside the measured time."""

    def create() -> Callable[[], object]:
        workspace = Workspace(base)
        sandbox = place.make_sandbox()
        sandbox.start(workspace.mounts, Limits())
        assert sandbox.run("true").returncode == 0
        return workspace.close

    return create


def _copying(tree: Path, folder: Path) -> Round:
    def copy() -> Callable[[], object]:
        target = folder / "copy"
        subprocess.run(["cp", "-a", tree, target], check=True)
        return lambda: remove_tree(target)

    return copy


def test_creating_a_workspace(compare: Compare, place: Place, bench_folder: Path) -> None:
    copy = "cp -a of the SymPy tree"
    ours = "workspace on the SymPy tree"
    things = {copy: _copying(place.base.tree, bench_folder), ours: _creating(place.base, place)}
    compare("a workspace up to its first action", things, rounds=15, baseline=copy)


def test_creating_a_workspace_does_not_depend_on_the_tree(
    compare: Compare, place: Place, made_base: Callable[[int], Base]
) -> None:
    names = {size: f"workspace on a tree of {size:,} files" for size in SIZES}
    things = {names[size]: _creating(made_base(size), place) for size in SIZES}
    compare("a workspace up to its first action", things, rounds=20, baseline=names[SIZES[0]])


class _Edited:
    """One file that changes each time."""

    def __init__(self, path: Path):
        self._path, self._n = path, 0

    def edit(self) -> None:
        self._n += 1
        self._path.write_text(f"edited = {self._n}\n")


def _digest_by_git(tree: Path, edited: _Edited) -> Round:
    """``git write-tree`` after an edit. The edit is not part of the measured time: it was made after the last round."""

    def git(*arguments: str) -> str:
        done = subprocess.run(["git", *arguments], cwd=tree, env=_GIT, check=True, capture_output=True, text=True)
        return done.stdout.strip()

    seen: set[str] = set()
    edited.edit()

    def digest() -> Callable[[], object]:
        git("add", "-A")
        found = git("write-tree")
        assert found not in seen
        seen.add(found)
        return edited.edit

    return digest


def _digest_by_layer(workspace: Workspace, edited: _Edited, blobs: Blobs | None) -> Round:
    seen: set[str] = set()
    edited.edit()

    def digest() -> Callable[[], object]:
        found = workspace.snapshot(blobs.put if blobs else None).digest
        assert found not in seen
        seen.add(found)
        return edited.edit

    return digest


@pytest.mark.parametrize("size", SIZES)
def test_digest_after_an_edit(
    compare: Compare, place: Place, made_base: Callable[[int], Base], bench_folder: Path, size: int
) -> None:
    base, tree = made_base(size), bench_folder / f"tree-{size}"
    subprocess.run(["cp", "-a", "--no-preserve=ownership", base.tree, tree], check=True)
    with Workspace(base) as plain, Workspace(base) as stored:
        edited = []
        for workspace in (plain, stored):
            sandbox = place.make_sandbox()
            sandbox.start(workspace.mounts, Limits())
            assert sandbox.run("echo >> d001/f01.py").returncode == 0
            assert workspace.mounts.upper is not None
            edited.append(_Edited(workspace.mounts.upper / "d001" / "f01.py"))
        git = f"git add -A && git write-tree, {size:,} files"
        things = {
            git: _digest_by_git(tree, _Edited(tree / "d001" / "f01.py")),
            f"layer, {size:,} files": _digest_by_layer(plain, edited[0], None),
            f"layer and its file stored on disk, {size:,} files": _digest_by_layer(
                stored, edited[1], Blobs(bench_folder / "blobs")
            ),
        }
        compare("digest of the state after an edit of one file", things, rounds=20, baseline=git)
