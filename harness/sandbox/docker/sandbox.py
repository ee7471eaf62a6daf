"""The Docker sandbox: one container per attempt (or per verification), one exec per command.

Every command is followed by the death of all that it started: the container's control group is emptied but for the
container's own two processes. Memory and processes are limited by control groups, disk by the watchdog.
"""

from __future__ import annotations

import contextlib
import os
import secrets
import shutil
import time
from collections.abc import Iterator
from pathlib import Path

from harness.errors import InputError
from harness.paths import state_dir
from harness.sandbox.docker.container import Container
from harness.sandbox.docker.engine import DEFAULT_IMAGE, client, image_id
from harness.sandbox.docker.execution import Execution
from harness.sandbox.docker.growth import Growth
from harness.sandbox.interface import WORKSPACE, Lifetime, Limits, Mounts, Result, SandboxLost
from harness.sandbox.interpreter import Interpreter
from harness.sandbox.output import CappedOutput, finished
from harness.sandbox.processes import seen_inside
from harness.sandbox.rootfs import package_folders
from harness.sandbox.tools import Tools
from harness.sandbox.watchdog import Watchdog

#: The wrapper (see ``Execution``): also makes itself the kernel's first choice when memory runs out, runs the command
#: in a shell of its own, and ends what that left behind.
_WRAPPER = (
    "read -r word; echo 500 > /proc/self/oom_score_adj; exec 2>/dev/null; ulimit -v {address_kb} || exit 125; "
    "{run}; rc=$?; left=none; set -- /proc/[0-9]*; [ $# -gt 3 ] && {{ left=left; {leave}; }}; echo $word $rc $left"
)
_RUN_ARGUMENT = 'bash -c -- "$1" 2>&1 </dev/null'
_RUN_FILE = "bash -c '. /run/command/text' 2>&1 </dev/null"
#: Longest command handed over as an argument; the kernel's limit for one is 128 KiB.
_ARGUMENT_MAX = 100_000
#: Seconds in which what a command left must be dead.
_KILL_SECONDS = 30.0


class DockerSandbox:
    """Runs commands in a container over one set of mounts.

    Args:
        tools: an image of its own, or an interpreter of this host that is shown in the default image.
        environment: variables inside, beside PATH and HOME.
        own_tree: commands run as root in the image's own tree, not in a workspace: for programs that expect the image
            as it is. Of the mounts only ``read_only`` counts; nothing but what a command prints can be had afterwards.

    Raises:
        InputError: no engine answers, or it does not have the image.
    """

    kind = "docker"

    def __init__(self, tools: Tools, environment: dict[str, str] | None = None, *, own_tree: bool = False):
        self._tools, self._environment, self._own_tree = tools, environment or {}, own_tree
        if tools.path:
            self._environment = {"PATH": tools.path, **self._environment}
        self.image = image_id(tools.image_digest or tools.image or DEFAULT_IMAGE)
        self._container: Container | None = None
        self._folder: Path | None = None

    def start(self, mounts: Mounts, limits: Limits, lifetime: Lifetime = "action") -> None:
        self.stop()
        self._limits, self._lifetime = limits, lifetime
        self._folder = state_dir() / "docker" / secrets.token_hex(8)
        (self._folder / "command").mkdir(mode=0o755, parents=True)
        read_only = {**mounts.read_only, "/run/command": self._folder / "command"}
        if self._tools.python and self._tools.site:
            read_only |= _python_mounts(self._tools.python, self._tools.site, self._folder)
        self._mounts = Mounts(mounts.lowers, mounts.upper, mounts.work, mounts.tmp, mounts.home, read_only)
        self._container = Container(self.image, self._environment, self._mounts, limits, own_tree=self._own_tree)

    def run(self, command: str, *, seconds: float | None = None, pass_fds: tuple[int, ...] = ()) -> Result:
        from docker.errors import APIError

        if pass_fds:
            raise InputError("the Docker sandbox passes no file descriptors", mend="mount a named pipe instead")
        container = self._container
        if container is None:
            raise SandboxLost("the sandbox is not started")
        if not container.alive:
            raise SandboxLost("the container has ended")
        limit = self._limits.seconds if seconds is None else seconds
        before = container.own if self._lifetime == "action" else container.group.pids()
        try:
            execution = Execution(container.id, self._arguments(command), container.user, WORKSPACE)
        except (APIError, OSError) as error:
            raise SandboxLost(f"the engine did not start the command: {error}") from error
        try:
            return self._attend(container, execution, before, limit)
        except (APIError, OSError) as error:
            raise SandboxLost(f"the engine failed while a command ran: {error}") from error
        finally:
            execution.close()

    def _arguments(self, command: str) -> list[str]:
        run = _RUN_ARGUMENT
        if len(os.fsencode(command)) > _ARGUMENT_MAX:
            assert self._folder is not None
            (self._folder / "command" / "text").write_bytes(os.fsencode(command))
            command, run = "", _RUN_FILE
        leave = "kill -9 -1" if self._lifetime == "action" else ":"
        wrapper = _WRAPPER.format(address_kb=4 * self._limits.memory_bytes // 1024, run=run, leave=leave)
        return ["bash", "-c", wrapper, "bash", command]

    def _attend(self, container: Container, execution: Execution, before: set[int], seconds: float) -> Result:
        captured = CappedOutput(self._limits.output_bytes)
        watchdog: Growth | Watchdog = (
            Growth(container.id, self._limits) if self._own_tree else Watchdog(self._limits, self._mounts)
        )
        kills = container.group.memory_kills()
        started = time.monotonic()
        execution.go()
        reached: str | None = None
        wrapper: int | None = None
        while True:
            captured.add(execution.read(watchdog.disk_pause()))
            elapsed = time.monotonic() - started
            if execution.ended:
                break
            if reached is None:
                if elapsed > seconds:
                    reached = "seconds"
                elif container.group.memory_kills() > kills:
                    reached = "memory"
                else:
                    reached = watchdog.exceeded_disk()
            wrapper = wrapper or execution.started()
            # A command that killed its wrapper may have left others that hold the stream open.
            if reached or (wrapper is not None and wrapper not in container.group.pids()):
                self._kill(container, before)
        if not container.alive:
            raise SandboxLost("the container ended while a command ran in it")
        if self._lifetime == "action" or reached:
            self._kill(container, before)
        if reached is None and container.group.memory_kills() > kills:
            reached = "memory"
        reached = reached or watchdog.exceeded_disk(now=True)
        code, left = execution.status or (137, False)
        return finished(code, reached, captured, started, left)

    @staticmethod
    def _kill(container: Container, kept: set[int]) -> None:
        if not container.group.kill_all_but(kept, _KILL_SECONDS):
            raise SandboxLost(f"processes of the container did not end within {_KILL_SECONDS:.0f} s")

    @contextlib.contextmanager
    def paused(self) -> Iterator[None]:
        """All processes are frozen meanwhile, so that the layer can be read."""
        from docker.errors import APIError

        container = self._container
        if container is None or not container.alive:
            raise SandboxLost("the container has ended")
        try:
            client().api.pause(container.id)
        except (APIError, OSError) as error:
            raise SandboxLost(f"the engine did not pause the container: {error}") from error
        try:
            yield
        finally:
            with contextlib.suppress(APIError, OSError):
                client().api.unpause(container.id)

    def processes(self) -> dict[int, str]:
        """Live processes by their pid inside: command line."""
        container = self._container
        return seen_inside(container.group.pids() - container.own) if container else {}

    def stop(self) -> None:
        container, self._container = self._container, None
        folder, self._folder = self._folder, None
        try:
            if container:
                container.remove()
        finally:
            if folder:
                shutil.rmtree(folder, ignore_errors=True)


def _python_mounts(python: Interpreter, site: Path, folder: Path) -> dict[str, Path]:
    """``python`` at its own prefix with ``site`` as its only packages, and links to it, made below ``folder``."""
    empty, links = folder / "empty", folder / "bin"
    for made in (empty, links):
        made.mkdir(mode=0o755)
    for name in ("python", "python3", f"python{python.version}"):
        (links / name).symlink_to(python.executable)
    first, *others = package_folders(python)
    return {
        str(python.prefix): python.prefix,
        **{str(other): empty for other in others},
        str(first): site,
        "/opt/bin": links,
    }
