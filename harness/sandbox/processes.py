"""What the host sees of a sandbox's processes: their tree, their memory, their end."""

from __future__ import annotations

import os
import select
from pathlib import Path


def descendants(pid: int) -> list[int]:
    """``pid`` and all processes below it that are alive now."""
    found, queue = [], [pid]
    while queue:
        current = queue.pop()
        found.append(current)
        try:
            for task in os.scandir(f"/proc/{current}/task"):
                queue += [int(child) for child in Path(task.path, "children").read_text().split()]
        except (OSError, ValueError):
            continue
    return found


def resident_bytes(pids: list[int]) -> int:
    """Resident memory of ``pids`` together without that of files, bytes; what two of them share counts twice."""
    total = 0
    for pid in pids:
        try:
            for line in Path(f"/proc/{pid}/status").read_bytes().splitlines():
                if line.startswith((b"RssAnon:", b"RssShmem:")):
                    total += int(line.split()[1]) << 10
        except OSError:
            continue
    return total


def wait_gone(pidfd: int, seconds: float) -> bool:
    """Waits until the process behind ``pidfd`` has ended. The end of a pid namespace's first process comes after
    that of every other process in it."""
    poller = select.poll()
    poller.register(pidfd, select.POLLIN)
    return bool(poller.poll(seconds * 1000))
