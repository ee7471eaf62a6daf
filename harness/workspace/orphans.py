"""Sandboxes that outlived the process that started them.

A sandbox dies with its worker. One whose worker was killed in the milliseconds between its fork and its asking the
kernel for that does not; it is found by the folder of workspaces in its command line or its mount table.
"""

from __future__ import annotations

import os
import signal
from contextlib import suppress
from pathlib import Path

from harness.sandbox.processes import wait_gone


def end_users_of(folder: Path) -> int:
    """Kills the processes that use ``folder``, the workspaces of a process that is dead; how many.

    Its name, and those of the workspaces in it, are random and long: they are nowhere else.
    """
    names = [os.fsencode(folder.name), *(os.fsencode(path.name) for path in folder.iterdir() if path.is_dir())]
    count = 0
    for pid in (int(name) for name in os.listdir("/proc") if name.isdigit()):
        if pid != os.getpid() and _mentions(pid, names):
            with suppress(OSError):
                pidfd = os.pidfd_open(pid)
                try:
                    if _mentions(pid, names):  # still the same process
                        signal.pidfd_send_signal(pidfd, signal.SIGKILL)
                        count += wait_gone(pidfd, 5)
                finally:
                    os.close(pidfd)
    return count


def _mentions(pid: int, names: list[bytes]) -> bool:
    """Whether a bubblewrap, or a process in a mount namespace of its own, names one of ``names``."""
    try:
        said = Path(f"/proc/{pid}/cmdline").read_bytes()
        if b"--die-with-parent" in said and any(name in said for name in names):
            return True
        if os.readlink(f"/proc/{pid}/ns/mnt") == os.readlink("/proc/self/ns/mnt"):
            return False
        mounts = Path(f"/proc/{pid}/mountinfo").read_bytes()
    except OSError:
        return False
    return any(name in mounts for name in names)
