"""One attempt's workspace: its folders, its mounts, its snapshots."""

from __future__ import annotations

import os
import secrets
from collections.abc import Callable
from pathlib import Path

from harness.paths import state_dir
from harness.sandbox import host
from harness.sandbox.interface import Mounts
from harness.workspace.base import Base
from harness.workspace.files import remove_tree
from harness.workspace.layer import Layer, LayerReader
from harness.workspace.manifest import Manifest
from harness.workspace.materialise import materialise


def _fresh_folder(*names: str) -> Path:
    """A new folder below the state directory. Its name says nothing: mount tables inside the sandbox show it."""
    folder = state_dir() / "work" / secrets.token_hex(8)
    folder.mkdir(parents=True)
    host.visible(state_dir())
    for name in names:
        (folder / name).mkdir(mode=0o755)
        host.give(folder / name)
    return folder


class Workspace:
    """A base with one writable layer over it; ``with`` removes its folders at the end."""

    def __init__(self, base: Base):
        self.base = base
        self._folder = _fresh_folder("upper", "work", "tmp", "home")
        self._reader = LayerReader(str(self._folder / "upper"), base.manifest)

    @property
    def mounts(self) -> Mounts:
        """Base and layer, with /tmp and home that last as long as the workspace."""
        folder = self._folder
        return Mounts(
            lowers=(self.base.tree,), upper=folder / "upper", work=folder / "work", tmp=folder / "tmp", home=folder / "home"
        )

    def snapshot(self, on_content: Callable[[bytes], object] | None = None) -> Layer:
        """The layer as it is now; no sandbox may be running."""
        return self._reader.read(on_content)

    def close(self) -> None:
        remove_tree(self._folder)

    def __enter__(self) -> Workspace:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


class CandidateMount:
    """A base's evaluator copy with one candidate layer over it and nothing writable that lasts."""

    def __init__(self, base: Base, candidate: Manifest, content: Callable[[str], bytes]):
        self._folder = _fresh_folder("layer")
        try:
            materialise(candidate, self._folder / "layer", content, base.manifest)
        except BaseException:
            remove_tree(self._folder)
            raise
        self.mounts = Mounts(lowers=(base.evaluator, self._folder / "layer"))

    def __enter__(self) -> Mounts:
        return self.mounts

    def __exit__(self, *_: object) -> None:
        remove_tree(self._folder)


def sweep_work(alive: Callable[[Path], bool]) -> list[Path]:
    """Removes left-over work folders for which ``alive`` is false; returns what was removed."""
    removed = []
    for folder in sorted((state_dir() / "work").glob("*")) if os.path.isdir(state_dir() / "work") else []:
        if not alive(folder):
            remove_tree(folder)
            removed.append(folder)
    return removed
