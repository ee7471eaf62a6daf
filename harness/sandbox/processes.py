"""What the host sees of a sandbox's processes: their tree, their memory, their end."""

from __future__ import annotations

import contextlib
import ctypes
import os
import select
import signal
import stat
from collections.abc import Iterable, Sequence
from functools import lru_cache
from pathlib import Path

_PR_SET_CHILD_SUBREAPER = 36


def children(pid: int) -> list[int]:
    """The processes that ``pid`` started, or adopted, and that have not been reaped."""
    found = []
    try:
        for task in os.scandir(f"/proc/{pid}/task"):
            found += [int(child) for child in Path(task.path, "children").read_text().split()]
    except (OSError, ValueError):
        pass
    return found


def descendants(pid: int, without: frozenset[int] = frozenset()) -> list[int]:
    """``pid`` and all processes below it, but ``without`` and what is below those."""
    found, queue = [], [pid]
    while queue:
        current = queue.pop()
        found.append(current)
        queue += [child for child in children(current) if child not in without]
    return found


def state(pid: int) -> str:
    """The kernel's letter for what ``pid`` does: R, S, D, T (stopped), Z (dead, not reaped); empty when it is gone."""
    try:
        return Path(f"/proc/{pid}/stat").read_text(errors="replace").rpartition(") ")[2][:1]
    except OSError:
        return ""


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


def end_adopted(arguments: Sequence[str], spared: int) -> None:
    """Kills and reaps the children of this process that run ``arguments``, or what stands at their end.

    A bubblewrap that is killed while it starts leaves a child that waits for it for ever, or goes on without it. Its
    parent is then this process, if that adopts orphans (``adopt_orphans``).

    Args:
        spared: a pid that is left alone.
    """
    words = [os.fsencode(word) for word in arguments]
    for pid in descendants(os.getpid())[1:]:
        try:
            parent = int(Path(f"/proc/{pid}/stat").read_bytes().rpartition(b")")[2].split()[1])
            said = Path(f"/proc/{pid}/cmdline").read_bytes().split(b"\0")[:-1]
        except (OSError, ValueError, IndexError):
            continue
        if pid != spared and parent == os.getpid() and len(said) > 2 and words[-len(said) :] == said:
            with contextlib.suppress(ProcessLookupError, ChildProcessError):
                os.kill(pid, signal.SIGKILL)
                os.waitpid(pid, 0)


def adopt_orphans() -> None:
    """Has the kernel make orphans below this process its children."""
    ctypes.CDLL(None).prctl(_PR_SET_CHILD_SUBREAPER, 1)


def wait_gone(pidfd: int, seconds: float) -> bool:
    """Waits until the process behind ``pidfd`` has ended. The end of a pid namespace's first process comes after
    that of every other process in it."""
    poller = select.poll()
    poller.register(pidfd, select.POLLIN)
    return bool(poller.poll(seconds * 1000))


@lru_cache(maxsize=1)
def _memory_device() -> int:
    """Device of files in memory (memfd), which never had a name: bwrap is given some, a command cannot make any."""
    end = os.memfd_create("restartlab", os.MFD_CLOEXEC)
    try:
        return os.fstat(end).st_dev
    finally:
        os.close(end)


def deleted_bytes(pids: list[int]) -> int:
    """Bytes of files that have no name any more and live only because one of ``pids`` has them open."""
    found: dict[tuple[int, int], int] = {}
    for pid in pids:
        try:
            ends = os.listdir(f"/proc/{pid}/fd")
        except OSError:
            continue
        for end in ends:
            try:
                facts = os.stat(f"/proc/{pid}/fd/{end}")
            except OSError:
                continue
            if stat.S_ISREG(facts.st_mode) and facts.st_nlink == 0 and facts.st_dev != _memory_device():
                found[facts.st_dev, facts.st_ino] = max(facts.st_size, facts.st_blocks * 512)
    return sum(found.values())


def seen_inside(pids: Iterable[int]) -> dict[int, str]:
    """The live ones of ``pids``, by the number that each has in its own pid namespace: its command line."""
    found = {}
    for pid in pids:
        if state(pid) in ("", "Z", "X"):
            continue
        try:
            status = Path(f"/proc/{pid}/status").read_text(errors="replace")
            command = Path(f"/proc/{pid}/cmdline").read_bytes()
        except OSError:
            continue
        inner = next(line.split()[-1] for line in status.splitlines() if line.startswith("NSpid:"))
        found[int(inner)] = command.replace(b"\0", b" ").decode(errors="replace")
    return found
