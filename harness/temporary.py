"""Files that appear whole or not at all; what a killed writer leaves is known by its lock, and swept."""

from __future__ import annotations

import fcntl
import os
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import IO

_PREFIX = ".tmp-"


@contextmanager
def temporary_file(folder: Path) -> Iterator[tuple[IO[bytes], Path]]:
    """A new file in ``folder`` to be filled and renamed; removed at the end if it is still there.

    Its writer holds a lock on it, which the kernel lets go of when the writer dies.
    """
    folder.mkdir(parents=True, exist_ok=True)
    while True:
        handle, name = tempfile.mkstemp(prefix=_PREFIX, dir=folder)
        fcntl.flock(handle, fcntl.LOCK_EX)
        if os.fstat(handle).st_nlink:  # or a sweep took it in the moment before it was locked
            break
        os.close(handle)
    with open(handle, "wb") as stream:
        try:
            yield stream, Path(name)
        finally:
            Path(name).unlink(missing_ok=True)


def write_whole(path: Path, data: bytes, folder: Path) -> None:
    """Replaces ``path`` by ``data``, also in the eyes of a reader after a power loss.

    Args:
        folder: for the temporary file; on the file system of ``path``.
    """
    path.parent.mkdir(parents=True, exist_ok=True)
    with temporary_file(folder) as (stream, name):
        stream.write(data)
        stream.flush()
        os.fsync(stream.fileno())
        os.replace(name, path)


def left_temporary(folder: Path) -> list[tuple[Path, Callable[[], bool]]]:
    """The temporary files in ``folder`` whose writer is dead; each with what removes it, if that is still so."""
    return [
        (path, partial(_if_left, path, remove=True)) for path in sorted(folder.glob(f"{_PREFIX}*")) if _if_left(path)
    ]


def sweep_temporary(folder: Path) -> int:
    """Removes the temporary files in ``folder`` whose writer is dead; how many."""
    return sum(_if_left(path, remove=True) for path in folder.glob(f"{_PREFIX}*"))


def _if_left(path: Path, remove: bool = False) -> bool:
    """Whether the writer of a temporary file is dead; removes the file then, if asked to."""
    try:
        handle = os.open(path, os.O_RDWR | os.O_CLOEXEC)
    except FileNotFoundError:
        return False
    try:
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
        if remove:
            path.unlink()
    except (BlockingIOError, FileNotFoundError):
        return False
    finally:
        os.close(handle)
    return True
