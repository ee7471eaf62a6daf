"""Total memory, bytes and files of a sandbox, looked at from the host while a command runs, and when it has ended."""

from __future__ import annotations

import time

from harness.sandbox.interface import Limits, Mounts
from harness.sandbox.processes import deleted_bytes, descendants, resident_bytes
from harness.sandbox.usage import usage

#: Seconds between looks.
MEMORY_EVERY = 0.05
#: A look at the disk scans the layer: the next one waits so many times as long as this one took, but not longer than
#: so many seconds; and only as long as this one took once half of a limit is used.
_DISK_PATIENCE, _DISK_EVERY = 20, 0.25


class Watchdog:
    """Says when a running command is over a total limit. Made before the command starts.

    A command that starts over the disk limit may still run (it may be the one that cleans up), but not grow.
    """

    def __init__(self, limits: Limits, mounts: Mounts):
        self._limits = limits
        self._folders = [p for p in (mounts.upper, mounts.tmp, mounts.home) if p is not None]
        self._disk_due = 0.0
        self._start = self._usage()

    def _usage(self) -> tuple[int, int]:
        started = time.monotonic()
        found = usage(self._folders, self._limits.inodes * 2)
        ended = time.monotonic()
        taken = ended - started
        close = found[0] > self._limits.disk_bytes // 2 or found[1] > self._limits.inodes // 2
        self._disk_due = ended + min(taken if close else _DISK_PATIENCE * taken, _DISK_EVERY)
        return found

    def exceeded(self, pid: int) -> str | None:
        """Name of the limit that the tree below ``pid`` exceeds now, if any."""
        pids = descendants(pid)
        if resident_bytes(pids) > self._limits.memory_bytes:
            return "memory"
        return self.exceeded_disk(pids)

    def exceeded_disk(self, pids: list[int] | None = None, *, now: bool = False) -> str | None:
        """Name of the disk limit that is exceeded; looks when it is due, or ``now``.

        Args:
            pids: processes whose open files count even if they were deleted.
        """
        if not self._folders or (not now and time.monotonic() < self._disk_due):
            return None
        size, inodes = self._usage()
        if size + deleted_bytes(pids or []) > max(self._limits.disk_bytes, self._start[0]):
            return "disk"
        if inodes > max(self._limits.inodes, self._start[1]):
            return "inodes"
        return None
