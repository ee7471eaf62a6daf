"""What every sandbox kind offers: start, run a command, stop."""

from __future__ import annotations

from contextlib import AbstractContextManager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal, Protocol

#: Where the workspace appears inside (the folder that mini-swe-agent's SWE-bench prompts name).
WORKSPACE = "/testbed"

Lifetime = Literal["action", "attempt"]


@dataclass(frozen=True)
class Limits:
    """What one command, and everything it starts, may use."""

    seconds: float = 60.0
    """Wall time of one command."""
    memory_bytes: int = 4 << 30
    """Resident memory of the whole process tree."""
    processes: int = 256
    disk_bytes: int = 2 << 30
    """Bytes in the workspace layer, /tmp and home together."""
    inodes: int = 100_000
    """Files in the workspace layer, /tmp and home together."""
    output_bytes: int = 1 << 20
    """Output kept of one command; the rest is dropped and marked."""


@dataclass(frozen=True)
class Mounts:
    """The file tree that a sandbox shows.

    ``lowers`` are stacked from the lowest up. With ``upper`` None, writes go to memory and vanish.
    """

    lowers: tuple[Path, ...]
    upper: Path | None = None
    work: Path | None = None
    """Scratch folder that overlayfs needs beside ``upper``."""
    tmp: Path | None = None
    """Kept /tmp; None gives an empty one per command."""
    home: Path | None = None
    read_only: dict[str, Path] = field(default_factory=dict)
    """Further files or folders, by the place where they appear, below ``/run``."""
    calls: Path | None = None
    """Empty folder for the pipes of a sandbox that lives as long as the attempt; shown inside, not to be written."""


@dataclass(frozen=True)
class Result:
    """What became of one command. ``output`` is stdout and stderr together, as bytes."""

    returncode: int
    output: bytes
    seconds: float
    timed_out: bool = False
    limit: str | None = None
    """Name of the limit that ended the command: seconds, memory, disk, inodes."""
    truncated_bytes: int = 0
    """Bytes dropped from the middle of ``output``."""
    background_left: bool = False
    """The command left processes behind; they were killed when it returned, unless the sandbox's lifetime is the
    attempt."""


class SandboxLost(Exception):
    """The sandbox itself died or did not start: says nothing about the command in it."""


class Sandbox(Protocol):
    """A place to run commands, isolated from the host."""

    kind: str

    def start(self, mounts: Mounts, limits: Limits, lifetime: Lifetime = "action") -> None:
        """Makes the sandbox ready.

        With lifetime ``attempt`` processes live until ``stop``. Until then the upper folder stays mounted: it may be
        read while they are stopped, but be no lower of another mount.
        """

    def run(self, command: str, *, seconds: float | None = None, pass_fds: tuple[int, ...] = ()) -> Result:
        """Runs ``bash -c command`` in the workspace; all that it started is dead on return.

        With lifetime ``attempt`` what the command left running lives on, except after a limit.

        Raises:
            SandboxLost: the sandbox failed, not the command.
        """

    def stop(self) -> None:
        """Ends every process of the sandbox; may be called twice."""


class ServiceSandbox(Sandbox, Protocol):
    """A sandbox whose processes can be looked at between commands; needed for tasks with services."""

    def paused(self) -> AbstractContextManager[None]:
        """All processes are stopped meanwhile, so that the layer can be read."""

    def processes(self) -> dict[int, str]:
        """Live processes by their pid inside: command line."""
