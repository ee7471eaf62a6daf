"""Places for things that only so many processes of a collection may do at once: model calls, sandboxes."""

from __future__ import annotations

import fcntl
import os
import shutil
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from harness.locks import is_free, locked, take
from harness.paths import state_dir

_POLL_SECONDS = 0.02


@dataclass(frozen=True)
class Slots:
    """``count`` places, each a lock on a file: the kernel gives the place of a killed process back at once.

    Plain data that travels to workers. Whoever waits queues on one more lock, so that only the first in the queue
    looks for a free place and nobody is passed over for long.
    """

    folder: Path
    count: int

    @contextmanager
    def taken(self) -> Iterator[None]:
        """Waits for a place and holds it."""
        place = self._wait()
        try:
            yield
        finally:
            os.close(place)

    def _wait(self) -> int:
        queue = self._open("queue")
        try:
            fcntl.flock(queue, fcntl.LOCK_EX)
            while True:
                for number in range(self.count):
                    place = self._open(str(number))
                    try:
                        fcntl.flock(place, fcntl.LOCK_EX | fcntl.LOCK_NB)
                    except BlockingIOError:
                        os.close(place)
                    except BaseException:
                        os.close(place)
                        raise
                    else:
                        return place
                time.sleep(_POLL_SECONDS)
        finally:
            os.close(queue)

    def _open(self, name: str) -> int:
        return os.open(self.folder / name, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)


@dataclass(frozen=True)
class SlotKinds:
    """The slots of a collection; None: as many as there are workers."""

    model_calls: Slots | None = None
    sandboxes: Slots | None = None


@contextmanager
def make_slots(model_calls: int | None, sandboxes: int | None) -> Iterator[SlotKinds]:
    """Slots of one collection, for as long as the block lasts; collections beside it have their own."""
    if model_calls is None and sandboxes is None:
        yield SlotKinds()
        return
    root = state_dir() / "slots"
    root.mkdir(parents=True, exist_ok=True)
    with _folder(root) as folder:
        made = []
        for name, count in (("model", model_calls), ("sandbox", sandboxes)):
            if count is not None:
                (folder / name).mkdir()
            made.append(None if count is None else Slots(folder / name, count))
        yield SlotKinds(*made)


@contextmanager
def _folder(root: Path) -> Iterator[Path]:
    """A fresh folder below ``root``; what killed collections left there goes away. A lock says that one lives."""
    with locked(_guard(root)):
        for old in root.iterdir():
            if old.is_dir() and _is_left(old):
                shutil.rmtree(old, ignore_errors=True)
        folder = Path(tempfile.mkdtemp(dir=root))
        owner = take(folder / "lock")
    try:
        yield folder
    finally:
        shutil.rmtree(folder, ignore_errors=True)
        os.close(owner)


def left_slots() -> list[Path]:
    """Folders of killed collections; nothing is removed."""
    root = state_dir() / "slots"
    if not root.exists():
        return []
    with locked(_guard(root)):
        return [folder for folder in sorted(root.iterdir()) if folder.is_dir() and _is_left(folder)]


def remove_slots(folder: Path) -> None:
    """Removes one of ``left_slots``."""
    with locked(_guard(folder.parent)):
        if _is_left(folder):
            shutil.rmtree(folder, ignore_errors=True)


def _is_left(folder: Path) -> bool:
    return is_free(folder / "lock", missing=False)  # without a lock: its collection is removing it


def _guard(root: Path) -> Path:
    """The lock under which folders of collections come and go."""
    return root / "lock"
