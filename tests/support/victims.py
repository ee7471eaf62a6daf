"""The processes of a collection, as /proc shows them: which are workers, which are sandboxes, which are left over."""

from __future__ import annotations

import contextlib
import ctypes
import os
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

_PR_SET_CHILD_SUBREAPER = 36
#: Descendants of this process from before it adopted orphans.
_earlier: set[int] = set()


@dataclass(frozen=True)
class Process:
    """One process. ``state`` is the letter of /proc/PID/stat."""

    pid: int
    parent: int
    state: str
    command: str


def _look(pid: int) -> Process | None:
    try:
        stat = Path(f"/proc/{pid}/stat").read_text(errors="replace").rsplit(")", 1)[1].split()
        command = Path(f"/proc/{pid}/cmdline").read_bytes().replace(b"\0", b" ").decode(errors="replace")
    except (OSError, IndexError):
        return None
    return Process(pid, int(stat[1]), stat[0], command)


def descendants(root: int) -> list[Process]:
    """All processes below ``root``, parents before children; zombies left out."""
    below: dict[int, list[Process]] = {}
    for name in os.listdir("/proc"):
        if name.isdigit() and (found := _look(int(name))):
            below.setdefault(found.parent, []).append(found)
    tree, waiting = [], [root]
    while waiting:
        children = below.get(waiting.pop(0), [])
        tree += [one for one in children if one.state not in "ZX"]
        waiting += [one.pid for one in children]
    return tree


def workers(root: int) -> list[Process]:
    """Worker processes of the controller ``root``."""
    return [one for one in descendants(root) if one.parent == root and "spawn_main" in one.command]


def sandboxes(root: int, *, verifier: bool) -> list[Process]:
    """The outermost process of each sandbox below ``root``: of agents, or of the verifier."""
    running = {one.pid for one in workers(root)}
    return [
        one for one in descendants(root)
        if one.parent in running and "bwrap" in one.command and ("/run/verifier/" in one.command) == verifier
    ]  # fmt: skip


def first_inside(sandbox: int) -> int | None:
    """The first process of a sandbox's pid namespace, as seen from here."""
    for one in descendants(sandbox):
        with contextlib.suppress(OSError, StopIteration):
            lines = Path(f"/proc/{one.pid}/status").read_text().splitlines()
            pids = next(line for line in lines if line.startswith("NSpid:")).split()[1:]
            if len(pids) > 1 and pids[-1] == "1":
                return one.pid
    return None


def open_trajectory(worker: int) -> str | None:
    """Name of the trajectory file that a worker is writing."""
    with contextlib.suppress(OSError):
        for end in Path(f"/proc/{worker}/fd").iterdir():
            with contextlib.suppress(OSError):
                target = os.readlink(end)
                if target.endswith(".jsonl") and "/tries/" in target:
                    return Path(target).name
    return None


@contextlib.contextmanager
def adopting() -> Iterator[None]:
    """Orphans of this process's descendants become its children, so that ``left_over`` sees them."""
    libc = ctypes.CDLL(None)
    _earlier.clear()
    _earlier.update(one.pid for one in descendants(os.getpid()))
    libc.prctl(_PR_SET_CHILD_SUBREAPER, 1)
    try:
        yield
    finally:
        libc.prctl(_PR_SET_CHILD_SUBREAPER, 0)


def left_over(known: set[int], seconds: float = 20.0) -> list[Process]:
    """Descendants of this process, beside the trees of ``known``, still there after ``seconds``; reaps dead ones."""
    deadline = time.monotonic() + seconds
    while True:
        spared = known | _earlier | {one.pid for pid in known for one in descendants(pid)}
        for name in os.listdir("/proc"):
            one = _look(int(name)) if name.isdigit() else None
            if one and one.parent == os.getpid() and one.pid not in spared and one.state == "Z":
                with contextlib.suppress(ChildProcessError):
                    os.waitpid(one.pid, os.WNOHANG)
        left = [one for one in descendants(os.getpid()) if one.pid not in spared]
        if not left or time.monotonic() > deadline:
            return left
        time.sleep(0.02)
