"""What the host sees of a sandbox's processes: their tree, their memory, their end."""

from __future__ import annotations

import os
import select
from pathlib import Path

_PAGE = os.sysconf("SC_PAGE_SIZE")


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
    """Unshared resident memory of ``pids`` together, bytes."""
    total = 0
    for pid in pids:
        try:
            fields = Path(f"/proc/{pid}/statm").read_text().split()
        except OSError:
            continue
        total += (int(fields[1]) - int(fields[2])) * _PAGE
    return total


def wait_gone(pidfd: int, seconds: float) -> bool:
    """Waits until the process behind ``pidfd`` has ended. The end of a pid namespace's first process comes after
    that of every other process in it."""
    poller = select.poll()
    poller.register(pidfd, select.POLLIN)
    return bool(poller.poll(seconds * 1000))
