"""Total memory, bytes and files of a sandbox, looked at from the host while a command runs, and when it has ended."""

from __future__ import annotations

import time

from harness.sandbox.interface import Limits, Mounts
from harness.sandbox.processes import deleted_bytes, descendants, resident_bytes
from harness.sandbox.usage import usage

#: Seconds between looks at memory.
MEMORY_EVERY = 0.05
#: A look at the disk scans the layer: the next one waits so many times as long as this one took, but not longer than
#: so many seconds; and not longer than the fastest writer needs for what is left, or this one took.
_DISK_PATIENCE, _DISK_EVERY = 20, 0.25
#: Bytes and files a second that no writer on two cores was seen to pass (files in memory, one after the other).
_FASTEST_BYTES, _FASTEST_FILES = 4 << 30, 400_000


class Watchdog:
    """Says when a running command is over a total limit. Made just before the command starts.

    A command that starts over the disk limit may still run (it may be the one that cleans up), but not grow.
    """

    def __init__(self, limits: Limits, mounts: Mounts):
        self._limits = limits
        self._folders = [p for p in (mounts.upper, mounts.tmp, mounts.home) if p is not None]
        self._disk_due = 0.0
        self._start = self._usage()
        self._memory_due = time.monotonic() + MEMORY_EVERY

    def pause(self) -> float:
        """Seconds until the next look is due."""
        return max(0.001, min(self._memory_due - time.monotonic(), self.disk_pause()))

    def disk_pause(self) -> float:
        """Seconds until the next look at the disk is due, at most MEMORY_EVERY."""
        return max(0.001, min(self._disk_due - time.monotonic(), MEMORY_EVERY)) if self._folders else MEMORY_EVERY

    def _usage(self) -> tuple[int, int]:
        started = time.monotonic()
        found = usage(self._folders, self._limits.inodes * 2)
        ended = time.monotonic()
        taken = ended - started
        filled = min(
            max(0, self._limits.disk_bytes - found[0]) / _FASTEST_BYTES,
            max(0, self._limits.inodes - found[1]) / _FASTEST_FILES,
        )
        self._disk_due = ended + min(_DISK_PATIENCE * taken, _DISK_EVERY, max(taken, filled))
        return found

    def exceeded(self, pid: int, *, now: bool = False) -> str | None:
        """Name of the limit that the tree below ``pid`` exceeds, if any; looks at what is due, or at all ``now``."""
        clock = time.monotonic()
        memory, disk = now or clock >= self._memory_due, now or clock >= self._disk_due
        if not (memory or (disk and self._folders)):
            return None
        pids = descendants(pid)
        if memory:
            if resident_bytes(pids) > self._limits.memory_bytes:
                return "memory"
            self._memory_due = time.monotonic() + MEMORY_EVERY
        return self.exceeded_disk(pids, now=now)

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
