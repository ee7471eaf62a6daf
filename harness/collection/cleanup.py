"""Leftovers of dead processes: found first, removed when asked to. What a live process holds is never among them.

Most are known by a lock that the kernel lets go of when its holder dies. Mounts need no sweeping: each process makes
its own in a private namespace, which ends with it. Lock files stay: they are empty, and removing one that somebody
waits for would let two in.
"""

from __future__ import annotations

import os
import tempfile
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from harness.collection.recovery import trajectory_file
from harness.errors import InputError
from harness.locks import if_free, is_free
from harness.paths import cache_dir, state_dir
from harness.process import start_ticks
from harness.slots import left_slots, remove_slots
from harness.store.store import Store
from harness.temporary import left_temporary
from harness.workspace.files import remove_tree
from harness.workspace.workspace import left_workspaces, remove_left

#: A scratch folder that no lock tells of is left when nothing in it changed for longer than its maker ever works.
SCRATCH_SECONDS = 86400.0
#: Scratch folders of doctor, self-check and gates, below the state directory.
_SCRATCH = ("doctor-*", "selfcheck-*", "tmp*")


@dataclass(frozen=True)
class Leftover:
    """Something that nobody needs any more; ``remove`` looks again whether that is so."""

    kind: str
    name: str
    bytes: int | None
    """On disk; None where that cannot be said."""
    remove: Callable[[], object]


def find_leftovers(store: Store | None) -> list[Leftover]:
    """Everything left over by processes of this state directory and of the cache; removes nothing.

    Args:
        store: the database, which knows which tries have ended; None: there is none.
    """
    found = [leftover for finder in FINDERS for leftover in finder()]
    return found + list(_trajectories(store)) if store is not None else found


def disk_usage(path: Path) -> int:
    """Bytes that ``path`` and all below it take on disk; what goes away meanwhile counts nothing."""
    total = 0
    for place in (path, *(Path(folder, name) for folder, *names in os.walk(path) for name in (*names[0], *names[1]))):
        try:
            total += place.lstat().st_blocks * 512
        except OSError:
            continue
    return total


def _workspaces() -> Iterator[Leftover]:
    for folder in left_workspaces():
        yield Leftover("workspaces", str(folder), disk_usage(folder), partial(remove_left, folder))


def _slots() -> Iterator[Leftover]:
    for folder in left_slots():
        yield Leftover("slots", str(folder), disk_usage(folder), partial(remove_slots, folder))


def _half_written() -> Iterator[Leftover]:
    for folder in (state_dir() / "blobs", state_dir() / "verdicts", cache_dir() / "images"):
        for path, remove in left_temporary(folder):
            yield Leftover("half-written file", str(path), disk_usage(path), remove)


def _trajectories(store: Store) -> Iterator[Leftover]:
    """Files whose try has ended: the trajectory is among the blobs."""
    folder = trajectory_file("any").parent
    names = {path.name for path in folder.glob("*.jsonl")} if folder.exists() else set()
    for name in sorted(store.ended_among(names)):
        path = trajectory_file(name)
        yield Leftover("trajectory", str(path), disk_usage(path), partial(path.unlink, missing_ok=True))


def _scratch() -> Iterator[Leftover]:
    for pattern in _SCRATCH:
        for folder in sorted(state_dir().glob(pattern)):
            if folder.is_dir() and not folder.is_symlink() and _untouched(folder):
                yield _tree("scratch folder", folder, partial(_untouched, folder))


def _model_servers() -> Iterator[Leftover]:
    """Folders of local model servers; the server itself dies with its controller."""
    for folder in sorted(Path(tempfile.gettempdir()).glob("restartlab-local-*")):
        lock = folder / "lock"
        if folder.is_symlink() or folder.stat().st_uid != os.geteuid() or not lock.exists():
            continue  # another user's, or being made
        if is_free(lock):
            yield _tree("local model server", folder, partial(is_free, lock))


def _unfinished_cache() -> Iterator[Leftover]:
    """Folders of the cache that a killed process was filling."""
    cache = cache_dir()
    for kind, place, digits in (("base", "bases", None), ("sdist", "sources", 16)):
        for folder in sorted((cache / place).glob("*")):
            if folder.suffix in (".new", ".torn"):
                lock = cache / "locks" / f"{kind}-{folder.stem[:digits]}"
                if is_free(lock):
                    yield _locked_tree("unfinished cache", folder, lock)
    for folder in sorted([*cache.glob("etc-*.*"), *(cache / "sites").glob("*.*")]):
        pid = folder.suffix[1:]
        if pid.isdigit() and _has_ended(int(pid)) and _untouched(folder):
            yield _tree("unfinished cache", folder, partial(_has_ended, int(pid)))


def _containers() -> Iterator[Leftover]:
    from importlib.util import find_spec

    if find_spec("docker") is None:
        return
    from harness.sandbox.docker.leftovers import leftovers

    try:
        for one in leftovers():
            yield Leftover(one.kind, one.id, None, one.remove)
    except InputError:  # no engine answers, so nothing runs in it
        return


#: What looks for leftovers. A sandbox kind that leaves things elsewhere adds a function here.
FINDERS: tuple[Callable[[], Iterator[Leftover]], ...] = (
    _workspaces, _slots, _half_written, _scratch, _model_servers, _unfinished_cache, _containers,
)  # fmt: skip


def _tree(kind: str, folder: Path, still_left: Callable[[], bool]) -> Leftover:
    def remove() -> None:
        if still_left():
            remove_tree(folder)

    return Leftover(kind, str(folder), disk_usage(folder), remove)


def _has_ended(pid: int) -> bool:
    return start_ticks(pid) is None


def _locked_tree(kind: str, folder: Path, lock: Path) -> Leftover:
    """A folder that may be touched only under ``lock``."""

    def remove() -> None:
        with if_free(lock) as free:
            if free:
                remove_tree(folder)

    return Leftover(kind, str(folder), disk_usage(folder), remove)


def _untouched(folder: Path) -> bool:
    """Whether nothing in ``folder`` has changed for ``SCRATCH_SECONDS``."""
    newest = 0.0
    for place in (folder, *folder.rglob("*")):
        try:
            newest = max(newest, place.lstat().st_mtime, place.lstat().st_ctime)
        except OSError:
            return False  # it changes right now
    return time.time() - newest > SCRATCH_SECONDS
