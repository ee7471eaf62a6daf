"""Files that appear whole or not at all; what a killed writer leaves is known by its lock, and swept."""

from __future__ import annotations

import fcntl
import os
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
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


def sweep_temporary(folder: Path) -> int:
    """Removes the temporary files in ``folder`` whose writer is dead; how many."""
    count = 0
    for path in folder.glob(f"{_PREFIX}*"):
        try:
            handle = os.open(path, os.O_RDWR | os.O_CLOEXEC)
        except FileNotFoundError:
            continue
        try:
            fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
            path.unlink()
            count += 1
        except (BlockingIOError, FileNotFoundError):
            continue
        finally:
            os.close(handle)
    return count
