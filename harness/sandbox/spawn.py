"""Starts processes as the user that sandboxes run as.

An ordinary user starts them himself. Root must become the dedicated uid first. Were that done between fork and exec,
Python would have to fork for real, which copies the page tables of this process (10 ms and more once it holds 100 MB);
a program that changes the uid costs a millisecond of each action. So one thread of this process becomes that uid, for
good (in the kernel a uid is a thread's), and starts them all.
"""

from __future__ import annotations

import ctypes
import os
import platform
import subprocess
from concurrent.futures import Future, ThreadPoolExecutor
from functools import lru_cache, partial
from pathlib import Path
from typing import Any

from harness.errors import InfrastructureError
from harness.sandbox import host

# System-call numbers of setgroups, setresgid and setresuid: asm/unistd_64.h and asm-generic/unistd.h. Glibc's functions
# of these names would change all threads.
_CALLS = {"x86_64": (116, 119, 117), "aarch64": (159, 149, 147)}

Process = subprocess.Popen[bytes]


def spawn(arguments: list[str], *, lasting: bool = False, **options: Any) -> Process:
    """``subprocess.Popen(arguments, **options)`` under the sandbox's uid and gid, without further groups.

    Args:
        lasting: the process may outlive the thread that asks for it. The kernel counts the end of a thread as the
            death of the parent of all that it started.

    Raises:
        OSError: the program does not start.
    """
    uid = host.SANDBOX_UID if host.is_root() else None
    if uid is not None and platform.machine() not in _CALLS:
        options |= {"user": uid, "group": uid, "extra_groups": []}
        uid = None
    if uid is None and not lasting:
        return subprocess.Popen(arguments, **options)
    host.prepare()
    future = _thread(os.getpid(), uid).submit(_start, arguments, options)
    try:
        return future.result()
    except BaseException:
        future.add_done_callback(_end)  # an interruption while it was started: nobody else knows of it
        raise


def _start(arguments: list[str], options: dict[str, Any]) -> Process:
    return subprocess.Popen(arguments, **options)


def _end(future: Future[Process]) -> None:
    if future.exception() is None:
        future.result().kill()
        future.result().wait()


@lru_cache(maxsize=2)
def _thread(pid: int, uid: int | None) -> ThreadPoolExecutor:
    """A thread of this process, ``pid``, as ``uid`` where that is another; a fork has none. It lives as long as the
    process."""
    initializer = None if uid is None else partial(_become, uid)
    return ThreadPoolExecutor(1, "restartlab-spawn", initializer=initializer)


def _become(uid: int) -> None:
    """Makes the calling thread, and no other, a process of ``uid`` that can never be root again."""
    host.narrow()
    call = ctypes.CDLL(None, use_errno=True).syscall
    groups, group, user = _CALLS[platform.machine()]
    if call(groups, 0, None) or call(group, uid, uid, uid) or call(user, uid, uid, uid):
        raise InfrastructureError(f"root cannot become uid {uid}: {os.strerror(ctypes.get_errno())}")
    facts = dict(line.split(":", 1) for line in Path("/proc/thread-self/status").read_text().splitlines())
    found = [facts[name].split() for name in ("Uid", "Gid", "Groups", "CapPrm", "CapAmb")]
    if found != [[str(uid)] * 4, [str(uid)] * 4, [], ["0" * 16], ["0" * 16]]:
        raise InfrastructureError(f"the thread that became uid {uid} still holds more: {found}")
