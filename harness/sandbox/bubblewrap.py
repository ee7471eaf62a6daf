"""The default sandbox: one bubblewrap per command, without daemon and without root.

Each command gets its own pid namespace, so whatever it leaves behind dies with it; the overlay is mounted for that
command only, so between commands the layer is an ordinary folder that nothing mounts. Flags: see the probes in
tests/integration/sandbox.
"""

from __future__ import annotations

import contextlib
import json
import os
import resource
import select
import signal
import subprocess
import time
from pathlib import Path
from typing import BinaryIO

from harness.errors import InputError
from harness.sandbox import host
from harness.sandbox.bwrap import runnable_bwrap
from harness.sandbox.interface import WORKSPACE, Lifetime, Limits, Mounts, Result, SandboxLost
from harness.sandbox.interpreter import Interpreter
from harness.sandbox.output import CappedOutput
from harness.sandbox.processes import wait_gone
from harness.sandbox.rootfs import HOME, python_arguments, system_arguments
from harness.sandbox.seccomp import program
from harness.sandbox.watchdog import MEMORY_EVERY, Watchdog

_ISOLATION = (
    "--unshare-user --disable-userns --unshare-ipc --unshare-pid --unshare-net --unshare-uts --unshare-cgroup "
    "--uid 1000 --gid 1000 --hostname sandbox --die-with-parent --as-pid-1 --new-session --cap-drop ALL --clearenv"
).split()

#: The command's shell runs below this one, which sets the hard limits and counts what the command left running. Only
#: the former gets a locale: reading one costs a shell a third of its start. This one is the first process of its pid
#: namespace: nothing inside can kill it, so that its report is missing only if somebody outside did.
_WRAPPER = (
    "ulimit -c 0 -n {files} -u {processes} -f {file_blocks} -v {address_kb} || exit 125; exec 2>/dev/null; "
    "{run}; rc=$?; set -- /proc/[0-9]*; [ $# -gt 1 ] && echo left >&{fd}; echo end >&{fd}; exit $rc"
)
#: Exit code of bubblewrap whose first process inside was killed.
_KILLED = 128 + signal.SIGKILL
#: Longest command handed over as an argument; the kernel's limit for one is 128 KiB.
_ARGUMENT_MAX = 100_000
#: After all mounts: the root takes no more of them.
_CLOSE = ("--remount-ro", "/dev", "--remount-ro", "/", "--chdir", WORKSPACE)
_SMALL_TMPFS = str(64 << 20)


class BubblewrapSandbox:
    """Runs commands in fresh bubblewraps over one set of mounts.

    Args:
        python: the interpreter shown inside.
        site: folder of packages that it finds.
        environment: variables inside, beside PATH and HOME.
    """

    kind = "bubblewrap"

    def __init__(self, python: Interpreter, site: Path, environment: dict[str, str] | None = None):
        self._python, self._site = python, site
        self._environment = environment or {}
        self._arguments: list[str] | None = None

    def start(self, mounts: Mounts, limits: Limits, lifetime: Lifetime = "action") -> None:
        if lifetime != "action":
            raise InputError(
                "the bubblewrap sandbox ends all processes with the action", mend="use a task without services"
            )
        self._mounts, self._limits = mounts, limits
        self._bwrap = str(runnable_bwrap())
        self._filter = program()
        self._arguments = self._fixed_arguments()

    def _fixed_arguments(self) -> list[str]:
        mounts = self._mounts
        variables = {
            "PATH": "/opt/bin:/usr/bin:/bin:/usr/sbin:/sbin", "HOME": HOME, "USER": "agent",
            "TERM": "dumb", "TMPDIR": "/tmp", **self._environment,
        }  # fmt: skip
        arguments = [*_ISOLATION]
        for name, value in variables.items():
            arguments += ["--setenv", name, value]
        arguments += system_arguments()
        arguments += [
            "--proc",
            "/proc",
            "--dev",
            "/dev",
            "--perms",
            "1777",
            "--size",
            _SMALL_TMPFS,
            "--tmpfs",
            "/dev/shm",
        ]
        arguments += python_arguments(self._python, self._site)
        for place, kept in (("/tmp", mounts.tmp), (HOME, mounts.home)):
            if kept:
                arguments += ["--bind", str(host.visible(kept)), place]
            else:
                arguments += ["--size", _SMALL_TMPFS, "--tmpfs", place]
        for lower in mounts.lowers:
            arguments += ["--overlay-src", str(host.visible(lower))]
        if mounts.upper and mounts.work:
            arguments += ["--overlay", str(host.visible(mounts.upper)), str(host.visible(mounts.work)), WORKSPACE]
        else:
            arguments += ["--tmp-overlay", WORKSPACE]
        for place, source in mounts.read_only.items():
            arguments += ["--ro-bind", str(host.visible(source)), place]
        return arguments

    def run(self, command: str, *, seconds: float | None = None, pass_fds: tuple[int, ...] = ()) -> Result:
        if self._arguments is None:
            raise SandboxLost("the sandbox is not started")
        limit = self._limits.seconds if seconds is None else seconds
        with contextlib.ExitStack() as stack:
            return self._run(command, limit, pass_fds, stack)

    def _run(self, command: str, seconds: float, pass_fds: tuple[int, ...], stack: contextlib.ExitStack) -> Result:
        def pipe() -> tuple[BinaryIO, BinaryIO]:
            read, write = os.pipe()
            return stack.enter_context(open(read, "rb", 0)), stack.enter_context(open(write, "wb", 0))

        output_read, output_write = pipe()
        status_read, status_write = pipe()
        left_read, left_write = pipe()
        left_fd = left_write.fileno()
        filter_fd = _memory_file(self._filter, stack)
        inherited = [status_write.fileno(), left_fd, filter_fd, *pass_fds]
        identity, options = host.identity()
        arguments = [*identity, self._bwrap, *(self._arguments or []), "--seccomp", str(filter_fd)]
        arguments += ["--json-status-fd", str(status_write.fileno())]
        limits = self._limits
        quoted = {
            "files": _at_most(resource.RLIMIT_NOFILE, 4096),
            "processes": _at_most(resource.RLIMIT_NPROC, limits.processes),
            "file_blocks": max(1, limits.disk_bytes // 1024), "address_kb": max(1, 4 * limits.memory_bytes // 1024),
            "fd": left_fd,
        }  # fmt: skip
        if len(os.fsencode(command)) <= _ARGUMENT_MAX:
            run = f'LANG=C.UTF-8 bash -c -- "$1" 2>&1 {left_fd}>&-'
        else:
            command_fd = _memory_file(os.fsencode(command), stack)
            inherited.append(command_fd)
            arguments += ["--ro-bind-data", str(command_fd), "/run/command"]
            command, run = "", f"LANG=C.UTF-8 bash -c '. /run/command' 2>&1 {left_fd}>&-"
        arguments += [*_CLOSE, "--", "bash", "-c", _WRAPPER.format(run=run, **quoted), "bash", command]
        watchdog = Watchdog(limits, self._mounts)
        started = time.monotonic()
        process = subprocess.Popen(
            arguments, stdin=subprocess.DEVNULL, stdout=output_write.fileno(), stderr=subprocess.STDOUT, cwd="/",
            env={}, pass_fds=inherited, umask=0o022, **options,  # type: ignore[call-overload]
        )  # fmt: skip
        try:
            for end in (output_write, status_write, left_write):
                end.close()
            ends = (output_read.fileno(), status_read.fileno())
            return self._attend(process, watchdog, started, seconds, ends, left_read)
        finally:
            if process.poll() is None:
                process.kill()
            process.wait()

    def _attend(
        self, process: subprocess.Popen[bytes], watchdog: Watchdog, started: float, seconds: float,
        ends: tuple[int, int], left: BinaryIO,
    ) -> Result:  # fmt: skip
        """Reads output until every process of the sandbox is gone, or a limit says that it must be.

        ``ends`` are those of output and status.
        """
        captured = CappedOutput(self._limits.output_bytes)
        output = ends[0]
        facts, pidfd, reached = b"", -1, None
        poller = select.poll()
        for end in ends:
            poller.register(end, select.POLLIN | select.POLLHUP)
        open_ends = set(ends)
        try:
            while open_ends:
                for end, _ in poller.poll(MEMORY_EVERY * 1000):
                    data = os.read(end, 1 << 16)
                    if not data:
                        poller.unregister(end)
                        open_ends.discard(end)
                    elif end == output:
                        captured.add(data)
                    else:
                        facts += data
                if pidfd < 0 and (pid := _field(facts, "child-pid")):
                    with contextlib.suppress(ProcessLookupError):
                        pidfd = os.pidfd_open(pid)
                if reached is None and open_ends:
                    elapsed = time.monotonic() - started
                    if elapsed > seconds:
                        reached = "seconds"
                    elif elapsed > MEMORY_EVERY and pidfd >= 0:
                        reached = watchdog.exceeded(_field(facts, "child-pid") or process.pid)
                    if reached:
                        _kill(process, pidfd)
            if pidfd >= 0 and not wait_gone(pidfd, 30):
                raise SandboxLost("processes of the sandbox did not end within 30 s")
        finally:
            _kill(process, pidfd)
            if pidfd >= 0:
                os.close(pidfd)
        code = _field(facts, "exit-code")
        if reached is None and code is None:
            said = captured.data().decode(errors="replace").strip()[-500:]
            raise SandboxLost(f"bubblewrap ended without a status (exit {process.wait()}): {said}")
        report = left.read(1 << 16)
        if reached is None and code == _KILLED and b"end" not in report:
            raise SandboxLost("the sandbox was killed from outside")
        return Result(
            returncode=-1 if reached or code is None else code,
            output=captured.data(),
            seconds=time.monotonic() - started,
            timed_out=reached == "seconds",
            limit=reached,
            truncated_bytes=captured.truncated,
            background_left=b"left" in report,
        )

    def stop(self) -> None:
        self._arguments = None


def _at_most(kind: int, wanted: int) -> int:
    """``wanted``, or this process's own hard limit where that is lower."""
    hard = resource.getrlimit(kind)[1]
    return wanted if hard == resource.RLIM_INFINITY else min(wanted, hard)


def _kill(process: subprocess.Popen[bytes], first: int) -> None:
    """Kills bwrap and the first process of its pid namespace, with which all others die. The latter would follow bwrap
    by itself, were it not that the command may write into its memory (/proc/1/mem)."""
    process.kill()
    if first >= 0:
        with contextlib.suppress(ProcessLookupError):
            signal.pidfd_send_signal(first, signal.SIGKILL)


def _memory_file(data: bytes, stack: contextlib.ExitStack) -> int:
    """A file in memory that a child can inherit and read from its start."""
    file = stack.enter_context(open(os.memfd_create("restartlab", 0), "wb", 0))
    file.write(data)
    file.seek(0)
    return file.fileno()


def _field(facts: bytes, name: str) -> int | None:
    """An integer from bwrap's stream of JSON objects, None before it is there."""
    for line in facts.splitlines(keepends=True):
        if line.endswith(b"\n"):
            with contextlib.suppress(ValueError):
                value = json.loads(line).get(name)
                if isinstance(value, int):
                    return value
    return None
