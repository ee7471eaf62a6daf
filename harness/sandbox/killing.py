"""Stops and kills some of the processes of a pid namespace, from outside."""

from __future__ import annotations

import contextlib
import os
import signal
import time
from collections.abc import Iterator

from harness.sandbox.processes import descendants, state

#: Seconds between looks at what is left.
_PAUSE = 0.005
NOBODY: frozenset[int] = frozenset()


def live_below(first: int, kept: frozenset[int] = NOBODY) -> set[int]:
    """Live processes below ``first``, without ``kept`` and what those started."""
    return {pid for pid in descendants(first, kept)[1:] if state(pid) not in ("", "Z", "X")}


def kill_below(first: int, kept: frozenset[int], seconds: float) -> bool:
    """Kills all processes below ``first``, the first of its pid namespace, but ``kept`` and what those started.

    Returns:
        Whether they are all gone within ``seconds``.
    """
    deadline = time.monotonic() + seconds
    namespace = _namespace(first)
    while found := live_below(first, kept):
        if time.monotonic() > deadline:
            return False
        stopped: set[int] = set()
        while fresh := found - stopped:  # what is stopped starts nothing
            _signal(fresh, signal.SIGSTOP, namespace)
            stopped |= fresh
            found = live_below(first, kept)
        _signal(stopped, signal.SIGKILL, namespace)
        time.sleep(_PAUSE)
    return True


@contextlib.contextmanager
def stopped_below(first: int, seconds: float) -> Iterator[None]:
    """All processes below ``first`` are stopped meanwhile (SIGSTOP, then SIGCONT).

    Raises:
        TimeoutError: they do not stop within ``seconds``.
    """
    deadline = time.monotonic() + seconds
    namespace = _namespace(first)
    stopped: set[int] = set()
    try:
        while moving := {pid for pid in live_below(first) if state(pid) != "T"}:
            if time.monotonic() > deadline:
                raise TimeoutError(f"processes of the sandbox did not stop within {seconds:.0f} s")
            _signal(moving, signal.SIGSTOP, namespace)
            stopped |= moving
            time.sleep(_PAUSE)
        yield
    finally:
        _signal(stopped, signal.SIGCONT, namespace)


def _namespace(pid: int) -> str:
    try:
        return os.readlink(f"/proc/{pid}/ns/pid")
    except OSError:  # it has ended, and all below it with it
        return ""


def _signal(pids: set[int], number: signal.Signals, namespace: str) -> None:
    """Signals those of ``pids`` in the pid namespace: a number may have gone to another process meanwhile."""
    for pid in pids:
        with contextlib.suppress(OSError):
            handle = os.pidfd_open(pid)
            try:
                if os.readlink(f"/proc/{pid}/ns/pid") == namespace:
                    signal.pidfd_send_signal(handle, number)
            finally:
                os.close(handle)
