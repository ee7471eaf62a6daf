"""One attempt's workspace: its folders, its mounts, its snapshots."""

from __future__ import annotations

import atexit
import secrets
from collections.abc import Callable, Mapping
from functools import lru_cache
from pathlib import Path

from harness.locks import is_free, locked, take
from harness.paths import state_dir
from harness.sandbox import host
from harness.sandbox.interface import Mounts
from harness.workspace.base import Base
from harness.workspace.files import remove_tree
from harness.workspace.layer import Layer, LayerReader
from harness.workspace.manifest import Manifest
from harness.workspace.materialise import materialise
from harness.workspace.orphans import end_users_of
from harness.workspace.restore import restore

#: Places beside the workspace that last as long as it, and are part of its state but not of its layer.
SCRATCH = ("tmp", "home")


@lru_cache(maxsize=1)
def _process_folder(state: Path) -> tuple[Path, int]:
    """This process's folder of workspaces, and the lock that says it is alive (the kernel lets go of it at death)."""
    with locked(_guard(state / "work")):  # a sweep never sees the folder unlocked
        folder = state / "work" / secrets.token_hex(8)
        folder.mkdir()
        folder.chmod(0o755)  # bound for the sandbox's uid; the state directory above may be closed to it
        lock = take(folder / "lock")
    atexit.register(_leave, folder)
    return folder, lock


def _leave(folder: Path) -> None:
    with locked(_guard(folder.parent)):
        remove_tree(folder)


def _fresh_folder(*names: str) -> Path:
    """A new folder below the state directory. Its name says nothing: mount tables inside the sandbox show it."""
    parent = _process_folder(state_dir())[0]
    host.visible(parent)
    folder = parent / secrets.token_hex(8)
    folder.mkdir()
    for name in names:
        (folder / name).mkdir(mode=0o755)
        host.give(folder / name)
    return folder


class Workspace:
    """A base with one writable layer over it; ``with`` removes its folders at the end."""

    def __init__(self, base: Base):
        self.base = base
        self._folder = _fresh_folder("upper", "work", "tmp", "home", "calls")
        self._reader = LayerReader(str(self._folder / "upper"), base.manifest)
        self._scratch = {name: LayerReader(str(self._folder / name), {}) for name in SCRATCH}

    @property
    def mounts(self) -> Mounts:
        """Base and layer, with /tmp and home that last as long as the workspace."""
        folder = self._folder
        return Mounts(
            lowers=(self.base.tree,),
            upper=folder / "upper",
            work=folder / "work",
            tmp=folder / "tmp",
            home=folder / "home",
            calls=folder / "calls",
        )

    def snapshot(self, on_content: Callable[[bytes], object] | None = None) -> Layer:
        """The layer as it is now; no sandbox may be running (one with services: see ``paused`` of bubblewrap's)."""
        return self._reader.read(on_content)

    def scratch(self, on_content: Callable[[bytes], object] | None = None) -> dict[str, Layer]:
        """/tmp and home as they are now, as layers on nothing, by their names in ``SCRATCH``; as ``snapshot``."""
        return {name: reader.read(on_content) for name, reader in self._scratch.items()}

    def put_back(self, layer: Layer, scratch: Mapping[str, Layer], content: Callable[[str], bytes]) -> None:
        """Fills this workspace, a fresh one, with a layer and with /tmp and home as they were; see ``restore``.

        Raises:
            InputError: one of them is refused, or is not what came back; remove the workspace then.
        """
        restore(layer, self._folder / "upper", content, self.base.manifest, self._reader)
        for name, was in scratch.items():
            restore(was, self._folder / name, content, {}, self._scratch[name])

    def close(self) -> None:
        remove_tree(self._folder)

    def __enter__(self) -> Workspace:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


class CandidateMount:
    """A base's evaluator copy with one candidate layer over it; what is written there goes away with it.

    The writes go to disk, not to memory, so that the watchdog sees them.
    """

    def __init__(self, base: Base, candidate: Manifest, content: Callable[[str], bytes]):
        self._folder = _fresh_folder("layer", "upper", "work")
        try:
            materialise(candidate, self._folder / "layer", content, base.manifest)
        except BaseException:
            remove_tree(self._folder)
            raise
        folder = self._folder
        self.mounts = Mounts((base.evaluator, folder / "layer"), upper=folder / "upper", work=folder / "work")

    def __enter__(self) -> Mounts:
        return self.mounts

    def __exit__(self, *_: object) -> None:
        remove_tree(self._folder)


def sweep_work() -> int:
    """Removes the workspaces that dead processes left below the state directory; how many processes' there were."""
    work, count = state_dir() / "work", 0
    if not work.exists():
        return 0
    with locked(_guard(work)):
        for folder in sorted(path for path in work.iterdir() if path.is_dir()):
            count += _remove_if_dead(folder)
    return count


def left_workspaces() -> list[Path]:
    """The folders of dead processes, one a process; nothing is removed."""
    work = state_dir() / "work"
    if not work.exists():
        return []
    with locked(_guard(work)):
        return [path for path in sorted(work.iterdir()) if path.is_dir() and _is_dead(path)]


def remove_left(folder: Path) -> None:
    """Removes one of ``left_workspaces``."""
    with locked(_guard(folder.parent)):
        _remove_if_dead(folder)


def _remove_if_dead(folder: Path) -> bool:
    dead = _is_dead(folder)
    if dead:
        end_users_of(folder)
        remove_tree(folder)
    return dead


def _is_dead(folder: Path) -> bool:
    """Whether nobody holds the folder's lock (its process died before it made one, or afterwards); under the guard."""
    return is_free(folder / "lock")


def _guard(work: Path) -> Path:
    """The lock under which folders of processes come and go."""
    return work / "lock"
