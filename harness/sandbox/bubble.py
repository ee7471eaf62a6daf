"""One bubblewrap process and the processes inside it, seen from the host."""

from __future__ import annotations

import contextlib
import json
import os
import signal
import subprocess
from typing import BinaryIO

from harness.sandbox.processes import end_adopted, wait_gone
from harness.sandbox.spawn import spawn

#: Seconds in which a killed sandbox must be gone.
_END_SECONDS = 30.0


class Bubble:
    """Starts bwrap; ``close`` ends it and all that runs inside.

    Args:
        arguments: bwrap's binary, its options but those for descriptors, ``--`` and the command.
        program: the system-call filter.
        output: descriptor for output and errors of the command.
        inherited: further descriptors for the command.
        lasting: see ``spawn``.
    """

    def __init__(
        self, arguments: list[str], program: bytes, output: int, inherited: list[int], *, lasting: bool = False
    ):
        self.pid: int | None = None
        """Of the first process inside, once it is known."""
        self.code: int | None = None
        """Exit code of the first process inside, once it is known; a signal counts as 128 and its number."""
        self._pidfd = -1
        self._said = b""
        binary, *rest = arguments
        with contextlib.ExitStack() as stack:
            filter_fd = memory_file(program, stack)
            read, write = os.pipe()
            stack.callback(os.close, write)
            self.status = open(read, "rb", 0)
            options = ["--seccomp", str(filter_fd), "--json-status-fd", str(write)]
            self._command = [binary, *options, *rest]
            try:
                self._process = spawn(
                    self._command, lasting=lasting, stdin=subprocess.DEVNULL, stdout=output,
                    stderr=subprocess.STDOUT, cwd="/", env={}, umask=0o022, pass_fds=[filter_fd, write, *inherited],
                )  # fmt: skip
            except BaseException:
                self.status.close()
                raise

    def hear(self) -> bool:
        """Reads from ``status``, which must be readable; False when bwrap has ended."""
        data = os.read(self.status.fileno(), 1 << 16)
        self._said += data
        *lines, self._said = self._said.split(b"\n")
        for line in lines:
            fact = json.loads(line)
            self.code = fact.get("exit-code", self.code)
            if "child-pid" in fact:
                self.pid = fact["child-pid"]
                with contextlib.suppress(ProcessLookupError):
                    self._pidfd = os.pidfd_open(fact["child-pid"])
        if not data and self.code is None:
            self._end_started()
        return bool(data)

    def _end_started(self) -> None:
        """Ends what a killed bubblewrap had started without saying so: that may wait for it for ever, or go on."""
        self.kill()
        self._process.wait()
        end_adopted(self._command, self._process.pid)

    @property
    def process_code(self) -> int | None:
        """Exit code of bwrap itself, None while it runs."""
        return self._process.poll()

    @property
    def alive(self) -> bool:
        """Whether the first process inside, once it is known, lives."""
        return self._pidfd >= 0 and not wait_gone(self._pidfd, 0)

    def kill(self) -> None:
        """Kills bwrap and the first process of its pid namespace, with which all others die."""
        self._process.kill()
        if self._pidfd >= 0:
            with contextlib.suppress(ProcessLookupError):
                signal.pidfd_send_signal(self._pidfd, signal.SIGKILL)

    def gone(self) -> bool:
        """Waits for the end of every process inside; False when it does not come."""
        return self._pidfd < 0 or wait_gone(self._pidfd, _END_SECONDS)

    def close(self) -> None:
        """Ends all; may be called twice."""
        self.kill()
        self._process.wait()
        if self._pidfd < 0:
            self._end_started()
        else:
            wait_gone(self._pidfd, _END_SECONDS)
            os.close(self._pidfd)
            self._pidfd = -1
        self.status.close()


def memory_file(data: bytes, stack: contextlib.ExitStack) -> int:
    """A file in memory that a child can inherit and read from its start."""
    file = stack.enter_context(open(os.memfd_create("restartlab", 0), "wb", 0))
    file.write(data)
    file.seek(0)
    return file.fileno()


def pipe(stack: contextlib.ExitStack) -> tuple[BinaryIO, BinaryIO]:
    """Both ends of a pipe, closed with ``stack`` at the latest."""
    read, write = os.pipe()
    return stack.enter_context(open(read, "rb", 0)), stack.enter_context(open(write, "wb", 0))
