"""Total memory, bytes and files of a sandbox, looked at from the host while a command runs."""

from __future__ import annotations

import os
import stat
import time
from pathlib import Path

from harness.sandbox.interface import Limits, Mounts
from harness.sandbox.processes import descendants, resident_bytes

#: Seconds between looks; disk is looked at less often, as it scans the layer.
MEMORY_EVERY, DISK_EVERY = 0.05, 0.25


def usage(folders: list[Path], stop_after: int) -> tuple[int, int]:
    """(bytes, inodes) below ``folders``; stops counting past ``stop_after`` inodes. Follows no link.

    A file counts by its length where that is more than its blocks: whoever reads the layer reads holes too.
    """
    size = inodes = 0
    queue = [str(folder) for folder in folders]
    while queue:
        try:
            entries = list(os.scandir(queue.pop()))
        except OSError:
            continue
        for entry in entries:
            try:
                facts = entry.stat(follow_symlinks=False)
            except OSError:
                continue
            inodes += 1
            size += facts.st_blocks * 512
            if stat.S_ISREG(facts.st_mode):
                size += max(0, facts.st_size - facts.st_blocks * 512)
            elif stat.S_ISDIR(facts.st_mode):
                queue.append(entry.path)
        if inodes > stop_after:
            break
    return size, inodes


class Watchdog:
    """Says when a running command is over a total limit. Made before the command starts.

    A command that starts over the disk limit may still run (it may be the one that cleans up), but not grow.
    """

    def __init__(self, limits: Limits, mounts: Mounts):
        self._limits = limits
        self._folders = [p for p in (mounts.upper, mounts.tmp, mounts.home) if p is not None]
        self._disk_due = time.monotonic() + DISK_EVERY
        self._start = self._usage()

    def _usage(self) -> tuple[int, int]:
        return usage(self._folders, self._limits.inodes * 2)

    def exceeded(self, pid: int) -> str | None:
        """Name of the limit that the tree below ``pid`` exceeds now, if any."""
        if resident_bytes(descendants(pid)) > self._limits.memory_bytes:
            return "memory"
        return self.exceeded_disk()

    def exceeded_disk(self, *, now: bool = False) -> str | None:
        """Name of the disk limit that is exceeded; looks every ``DISK_EVERY`` seconds, or ``now``."""
        if not self._folders or (not now and time.monotonic() < self._disk_due):
            return None
        size, inodes = self._usage()
        self._disk_due = time.monotonic() + DISK_EVERY
        if size > max(self._limits.disk_bytes, self._start[0]):
            return "disk"
        if inodes > max(self._limits.inodes, self._start[1]):
            return "inodes"
        return None
