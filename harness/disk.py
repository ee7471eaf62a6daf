"""Whether the disk of the state directory is full: a command that fails for want of space says nothing of its agent."""

from __future__ import annotations

import os
from pathlib import Path

#: Free bytes and inodes below which no further try starts.
START_BYTES, START_INODES = 64 << 20, 2000
#: Free bytes and inodes below which a running try is lost.
LAST_BYTES, LAST_INODES = 8 << 20, 200


def shortage(path: Path, *, starting: bool) -> str | None:
    """What the file system of ``path`` lacks, in words; None while it has enough."""
    facts = os.statvfs(next(place for place in (path, *path.parents) if place.exists()))
    space, inodes = facts.f_bavail * facts.f_frsize, facts.f_favail
    if space < (START_BYTES if starting else LAST_BYTES):
        return f"{space >> 20} MiB are free on the disk of {path}"
    # A file system without a fixed number of inodes says that it has none in all.
    if facts.f_files and inodes < (START_INODES if starting else LAST_INODES):
        return f"{inodes} inodes are free on the disk of {path}"
    return None
