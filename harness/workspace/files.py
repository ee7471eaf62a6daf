"""Reading and removing trees that an adversary may have written: no link is followed, no mode is trusted."""

from __future__ import annotations

import os
import stat
from collections.abc import Iterator
from contextlib import contextmanager

_DIRECTORY = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC
_FILE = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC


@contextmanager
def opened(name: str, folder: int | None, *, directory: bool) -> Iterator[int]:
    """A descriptor of ``name`` in the directory ``folder``; one without read permission is readable meanwhile.

    Raises:
        OSError: it is a symbolic link, or has become another kind of file.
    """
    flags = _DIRECTORY if directory else _FILE
    restore: int | None = None
    try:
        end = os.open(name, flags, dir_fd=folder)
    except PermissionError:
        handle = os.open(name, os.O_PATH | os.O_NOFOLLOW | os.O_CLOEXEC, dir_fd=folder)
        try:
            mode = stat.S_IMODE(os.fstat(handle).st_mode)
            os.chmod(f"/proc/self/fd/{handle}", mode | (0o700 if directory else 0o400))
            end = os.open(name, flags, dir_fd=folder)
            restore = mode
        finally:
            os.close(handle)
    try:
        yield end
    finally:
        if restore is not None:
            os.fchmod(end, restore)
        os.close(end)


def read_file(name: str, folder: int) -> bytes:
    """Content of the regular file ``name`` in the directory ``folder``."""
    with opened(name, folder, directory=False) as end:
        if not stat.S_ISREG(os.fstat(end).st_mode):
            raise OSError(f"{name!r} is not a regular file")
        with open(end, "rb", buffering=0, closefd=False) as stream:
            return stream.read()


def remove_tree(path: str | os.PathLike[str]) -> None:
    """Removes ``path`` and all below it, folders without permission included; absent is fine."""
    name = os.fspath(path)
    try:
        facts = os.lstat(name)
    except FileNotFoundError:
        return
    if not stat.S_ISDIR(facts.st_mode):
        os.unlink(name)
        return
    with opened(name, None, directory=True) as top:
        os.fchmod(top, 0o700)
        _empty(top)
    os.rmdir(name)


def _empty(top: int) -> None:
    """Removes all in the folder ``top``, level by level: an adversary's folders nest deeper than any recursion."""
    number = 0
    while names := os.listdir(top):
        for name in names:
            if not stat.S_ISDIR(os.stat(name, dir_fd=top, follow_symlinks=False).st_mode):
                os.unlink(name, dir_fd=top)
                continue
            with opened(name, top, directory=True) as end:
                os.fchmod(end, 0o700)
                for child in os.listdir(end):
                    if stat.S_ISDIR(os.stat(child, dir_fd=end, follow_symlinks=False).st_mode):
                        with opened(child, end, directory=True) as moved:
                            os.fchmod(moved, 0o700)  # a folder without write permission cannot be moved
                            number = _move_up(child, end, top, number)
                    else:
                        os.unlink(child, dir_fd=end)
            os.rmdir(name, dir_fd=top)


def _move_up(name: str, folder: int, top: int, number: int) -> int:
    """Renames ``name`` into ``top`` under a name that is free there; returns the last number used."""
    while True:
        number += 1
        try:
            os.stat(f"{number}", dir_fd=top, follow_symlinks=False)
        except FileNotFoundError:
            os.rename(name, f"{number}", src_dir_fd=folder, dst_dir_fd=top)
            return number
