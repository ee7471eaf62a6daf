"""Who runs a try: identity of a controller process, and whether it still lives (Linux, from /proc)."""

from __future__ import annotations

import os
import socket
import uuid
from dataclasses import dataclass
from typing import Literal

from harness.process import boot_id, start_ticks


@dataclass(frozen=True)
class Controller:
    """A controller process, told apart from any later process with the same pid.

    Args:
        id: random, one per process.
        pid: process id, inside ``pid_namespace``.
        host: host name.
        boot: the kernel's boot id; another one on the same host means a reboot.
        pid_namespace: a pid means nothing outside its own.
        started: start time in clock ticks after boot (field 22 of /proc/PID/stat).
    """

    id: str
    pid: int
    host: str
    boot: str
    pid_namespace: str
    started: int

    @classmethod
    def current(cls) -> Controller:
        """This process."""
        pid = os.getpid()
        started = start_ticks(pid)
        if started is None:
            raise RuntimeError(f"/proc/{pid}/stat of this process cannot be read; is /proc mounted?")
        return cls(
            id=uuid.uuid4().hex,
            pid=pid,
            host=socket.gethostname(),
            boot=boot_id(),
            pid_namespace=os.readlink("/proc/self/ns/pid"),
            started=started,
        )

    def life(self) -> Literal["alive", "dead", "elsewhere"]:
        """Whether the process lives; ``elsewhere`` when it cannot be seen from here (other host or container)."""
        if self.boot != boot_id():
            return "dead" if self.host == socket.gethostname() else "elsewhere"
        if self.pid_namespace != os.readlink("/proc/self/ns/pid"):
            return "elsewhere"
        return "alive" if start_ticks(self.pid) == self.started else "dead"


@dataclass(frozen=True)
class RunningTry:
    """A try that has started and not ended, and who started it."""

    try_id: int
    attempt_id: str
    number: int
    task: str
    runtime: str
    started_at: str
    controller: Controller
