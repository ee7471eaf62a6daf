"""The set of a self-check: canaries on the host, a sandbox of the kind under test, and a second one beside it."""

from __future__ import annotations

import contextlib
import os
import secrets
import shutil
import tempfile
from collections.abc import Callable
from contextlib import AbstractContextManager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from harness.paths import state_dir, task_dir
from harness.sandbox.interface import Limits, Mounts, Result, Sandbox
from harness.sandbox.selfcheck.canaries import (
    VARIABLE,
    Bystander,
    Listeners,
    inherited_descriptor,
    temporary_file,
    variable,
)
from harness.sandbox.selfcheck.probe import ROOMY
from harness.sandbox.selfcheck.script import command


@dataclass(frozen=True)
class Subject:
    """What is checked: a kind of sandbox, and where it gets workspaces from."""

    make: Callable[[], Sandbox]
    """A fresh sandbox, not started."""
    workspace: Callable[[], AbstractContextManager[Mounts]]
    """Mounts of a fresh, empty workspace, removed at the end."""
    prefixes: tuple[Path, ...] = ()
    """Folders of the host that are shown on purpose (the interpreter's)."""


@dataclass
class Started:
    """A running sandbox with its workspace."""

    sandbox: Sandbox
    mounts: Mounts


@dataclass
class Scene:
    """Use as a context manager."""

    subject: Subject
    nonce: str = field(default_factory=lambda: f"n{secrets.token_hex(6)}")
    secret: str = field(default_factory=lambda: f"canary-{secrets.token_hex(12)}")
    """Stands in every canary, never in a command: a sandbox that prints it has reached one."""

    def __enter__(self) -> Scene:
        self._stack = contextlib.ExitStack()
        self._current: Started | None = None
        self._current_stack = contextlib.ExitStack()
        try:
            self._set()
        except BaseException:
            self._stack.close()
            raise
        return self

    def _set(self) -> None:
        self.marker = f"selfcheck-{self.nonce}"
        self._bystander_name = f"bystander-{secrets.token_hex(6)}"
        state = state_dir()
        state.mkdir(parents=True, exist_ok=True)
        folder = Path(tempfile.mkdtemp(prefix="selfcheck-", dir=state))
        self._stack.callback(shutil.rmtree, folder, ignore_errors=True)
        folder.chmod(0o755)
        self.file = folder / self.marker
        self.file.write_text(self.secret)
        self.folder = folder
        # A socket's path is short: the state directory's may not fit.
        sockets = Path(tempfile.mkdtemp(prefix="rl-"))
        self._stack.callback(shutil.rmtree, sockets, ignore_errors=True)
        sockets.chmod(0o755)
        self.listeners = Listeners(self.secret.encode(), sockets)
        self._stack.callback(self.listeners.close)
        self.bystander = Bystander(self.secret, self._bystander_name)
        self._stack.callback(self.bystander.close)
        self._stack.enter_context(variable(self.secret))
        self.temporary = self._stack.enter_context(temporary_file(self.marker, self.secret))
        self._stack.enter_context(inherited_descriptor(self.file))
        self.neighbour = self._start(self._stack, ROOMY)
        self.neighbour.sandbox.run(f"for f in /tmp ~ .; do echo {self.secret} > $f/{self.marker}; done")
        self._stack.callback(self._current_stack.close)

    def __exit__(self, *_: object) -> None:
        self._stack.close()

    def _start(self, stack: contextlib.ExitStack, limits: Limits) -> Started:
        mounts = stack.enter_context(self.subject.workspace())
        sandbox = self.subject.make()
        stack.callback(sandbox.stop)
        sandbox.start(mounts, limits)
        return Started(sandbox, mounts)

    def fresh(self, limits: Limits) -> Started:
        """The current sandbox is ended, another started in an empty workspace."""
        self.drop()
        self._current = self._start(self._current_stack, limits)
        return self._current

    def drop(self) -> None:
        """Ends the current sandbox; the next command gets a new one."""
        self._current = None
        self._current_stack.close()

    @property
    def current(self) -> Started:
        """The sandbox that commands run in."""
        return self._current or self.fresh(ROOMY)

    @property
    def written(self) -> list[Path]:
        """Folders of the host that hold what the current sandbox wrote."""
        mounts = self.current.mounts
        return [path for path in (mounts.upper, mounts.tmp, mounts.home) if path is not None]

    def run(self, script: str, *, seconds: float | None = None, neighbour: bool = False) -> Result:
        """Runs a probe's script in the current sandbox, or in the one beside it."""
        started = self.neighbour if neighbour else self.current
        return started.sandbox.run(command(script, self.values()), seconds=seconds)

    def values(self) -> dict[str, Any]:
        """What scripts know of the host: names and numbers, not the secret."""
        listeners, shown = self.listeners, self.subject.prefixes
        beside = self.neighbour.mounts
        return {
            "nonce": self.nonce, "marker": self.marker, "variable": VARIABLE, "tcp": listeners.tcp_port,
            "udp": listeners.udp_port, "abstract": listeners.abstract, "unix": str(listeners.path),
            "file": str(self.file), "temporary": str(self.temporary), "pid": self.bystander.pid,
            # Backwards: commands stand in /proc themselves.
            "bystander": self._bystander_name[::-1],
            "beside": [str(p) for p in (beside.upper, beside.tmp, beside.home) if p],
            "home": _entries(Path.home(), shown), "tasks": str(task_dir()),
            "machine": _machine_id(), "pidns": os.readlink("/proc/self/ns/pid"),
            "namespaces": {n: os.readlink(f"/proc/self/ns/{n}") for n in ("ipc", "mnt", "net", "pid", "uts")},
            "prefixes": [str(prefix) for prefix in shown],
        }  # fmt: skip


def _entries(folder: Path, shown: tuple[Path, ...]) -> list[str]:
    """Some paths in ``folder`` that are no way to what is shown on purpose."""
    try:
        found = sorted(folder.iterdir())
    except OSError:
        return []
    return [str(p) for p in found if not any(p == s or p in s.parents or s in p.parents for s in shown)][:50]


def _machine_id() -> str:
    try:
        return Path("/etc/machine-id").read_text().strip()[:8]
    except OSError:
        return ""
