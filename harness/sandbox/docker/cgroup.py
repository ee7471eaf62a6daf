"""A container's control groups as this host sees them: its processes, and whether the kernel killed one for memory."""

from __future__ import annotations

import contextlib
import os
import signal
import time
from dataclasses import dataclass
from pathlib import Path

from harness.errors import InputError

_ROOT = Path("/sys/fs/cgroup")


@dataclass(frozen=True)
class ContainerGroup:
    """Where a container's processes and memory events stand."""

    procs: Path
    memory: Path
    """``memory.events`` (v2) or ``memory.oom_control`` (v1)."""

    @classmethod
    def of(cls, pid: int) -> ContainerGroup:
        """The groups of the container whose first process has ``pid`` on this host.

        Raises:
            InputError: that process is not on this host.
        """
        try:
            lines = Path(f"/proc/{pid}/cgroup").read_text().splitlines()
        except OSError:
            lines = []
        places = {names: path for _, names, path in (line.split(":", 2) for line in lines)}
        named = {name: path for names, path in places.items() for name in names.split(",")}
        if "memory" in named and "pids" in named:
            group = cls(
                _ROOT / "pids" / named["pids"].lstrip("/") / "cgroup.procs",
                _ROOT / "memory" / named["memory"].lstrip("/") / "memory.oom_control",
            )
        else:
            folder = _ROOT / places.get("", "/nowhere").lstrip("/")
            group = cls(folder / "cgroup.procs", folder / "memory.events")
        if not group.procs.exists() or not group.memory.exists():
            raise InputError(
                "the Docker engine does not run on this host (its containers' control groups are not visible)",
                key="sandbox.kind", mend="use an engine on the same host, or set sandbox.kind: bubblewrap",
            )  # fmt: skip
        return group

    def pids(self) -> set[int]:
        """All processes of the container, as pids of this host; empty once it is gone."""
        try:
            return {int(pid) for pid in self.procs.read_text().split()}
        except OSError:
            return set()

    def memory_kills(self) -> int:
        """How often the kernel killed a process of the container for the memory limit."""
        with contextlib.suppress(OSError):
            for line in self.memory.read_text().splitlines():
                name, _, value = line.partition(" ")
                if name == "oom_kill":
                    return int(value)
        return 0

    def kill_all_but(self, kept: set[int], seconds: float) -> bool:
        """Kills the container's processes but ``kept`` until there are no others; False when some are left."""
        until = time.monotonic() + seconds
        while others := self.pids() - kept:
            for pid in others:
                self._kill(pid)
            if time.monotonic() > until:
                return False
            time.sleep(0.001)
        return True

    def _kill(self, pid: int) -> None:
        with contextlib.suppress(OSError):
            handle = os.pidfd_open(pid)
            try:
                if pid in self.pids():  # the number may have gone to another process before the handle was taken
                    signal.pidfd_send_signal(handle, signal.SIGKILL)
            finally:
                os.close(handle)
