"""Locks on files between processes. The kernel lets go of a lock when its holder dies, so none is ever stale."""

from __future__ import annotations

import fcntl
import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path


@contextmanager
def locked(path: Path) -> Iterator[None]:
    """Holds an exclusive lock on ``path``, which is made if need be."""
    path.parent.mkdir(parents=True, exist_ok=True)
    with open(path, "a") as stream:
        fcntl.flock(stream, fcntl.LOCK_EX)
        yield


def take(path: Path) -> int:
    """A descriptor that holds the lock on a new file ``path`` for as long as it is open."""
    handle = os.open(path, os.O_CREAT | os.O_RDWR | os.O_CLOEXEC, 0o600)
    fcntl.flock(handle, fcntl.LOCK_EX)
    return handle


@contextmanager
def if_free(path: Path, *, missing: bool = True) -> Iterator[bool]:
    """Takes the lock if nobody holds it, and says whether that is so; ``missing`` is the answer where there is none."""
    try:
        handle = os.open(path, os.O_RDWR | os.O_CLOEXEC)
    except FileNotFoundError:
        yield missing
        return
    try:
        try:
            fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
            free = True
        except BlockingIOError:
            free = False
        yield free
    finally:
        os.close(handle)


def is_free(path: Path, *, missing: bool = True) -> bool:
    """Whether nobody holds the lock on ``path``; ``missing`` where there is none."""
    with if_free(path, missing=missing) as free:
        return free
