"""Bytes and files in folders that an adversary is writing: no link is followed, nothing escapes by depth or mode."""

from __future__ import annotations

import os
import stat
from collections.abc import Iterator
from pathlib import Path

#: Paths longer than this are walked in pieces: the kernel takes none of more than 4,096 bytes.
_LONG = 3000
#: Pieces within each other, each of which holds a descriptor; who nests more of them is over any limit of files.
_PIECES = 50
_READ_AND_PASS = 0o500


def usage(folders: list[Path], stop_after: int, pieces: int = 0) -> tuple[int, int]:
    """(bytes, inodes) below ``folders``; stops counting past ``stop_after`` inodes. Follows no link.

    A file counts by its length where that is more than its blocks: whoever reads the layer reads holes too. A folder
    that its owner, this process's user, closed to himself is readable meanwhile.

    Args:
        pieces: how many pieces of a path this one is in.
    """
    size = inodes = 0
    queue = [str(folder) for folder in folders]
    while queue and inodes <= stop_after:
        path = queue.pop()
        apart: list[str] = []
        try:
            for found, facts in _entries(path):
                inodes += 1
                size += facts.st_blocks * 512
                if stat.S_ISREG(facts.st_mode):
                    size += max(0, facts.st_size - facts.st_blocks * 512)
                elif stat.S_ISDIR(facts.st_mode):
                    (apart if len(found) > _LONG else queue).append(found)
        except PermissionError:
            apart.append(path)
        except OSError:
            continue
        for folder in apart:
            more = _piece(folder, stop_after - inodes, pieces)
            size, inodes = size + more[0], inodes + more[1]
    return size, inodes


def _entries(path: str) -> Iterator[tuple[str, os.stat_result]]:
    for entry in os.scandir(path):
        try:
            yield entry.path, entry.stat(follow_symlinks=False)
        except FileNotFoundError:
            continue


def _piece(path: str, stop_after: int, pieces: int) -> tuple[int, int]:
    """``usage`` of a folder whose path is long, or which is closed to its owner."""
    if pieces == _PIECES:
        return 0, max(0, stop_after) + 1
    try:
        handle = os.open(path, os.O_PATH | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC)
    except OSError:
        return 0, 0
    place = f"/proc/self/fd/{handle}"
    try:
        mode = stat.S_IMODE(os.fstat(handle).st_mode)
        opened = mode | _READ_AND_PASS
        try:
            if opened != mode:
                os.chmod(place, opened)
            return usage([Path(place)], stop_after, pieces + 1)
        except PermissionError:
            return 0, 0
        finally:
            if opened != mode and stat.S_IMODE(os.fstat(handle).st_mode) == opened:  # unless it has another since
                os.chmod(place, mode)
    finally:
        os.close(handle)
