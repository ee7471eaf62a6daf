"""The default sandbox: one bubblewrap per command, without daemon and without root.

With lifetime ``attempt`` it is one for all commands, see ``longlived``; else each command gets its own pid
namespace, so whatever it leaves behind dies with it; the overlay is mounted for that command only, so between commands
the layer is an ordinary folder that nothing mounts. Flags: see the probes in tests/integration/sandbox.
"""

from __future__ import annotations

import contextlib
import os
import select
import signal
import time
from contextlib import AbstractContextManager
from pathlib import Path
from typing import BinaryIO

from harness.errors import InputError
from harness.sandbox import shell
from harness.sandbox.bubble import Bubble, memory_file, pipe
from harness.sandbox.bwrap import runnable_bwrap
from harness.sandbox.flags import fixed_arguments, last_arguments
from harness.sandbox.interface import Lifetime, Limits, Mounts, Result, SandboxLost
from harness.sandbox.interpreter import Interpreter
from harness.sandbox.longlived import LongLived
from harness.sandbox.output import CappedOutput, finished
from harness.sandbox.seccomp import program
from harness.sandbox.watchdog import Watchdog

#: Exit code of bubblewrap whose first process inside was killed.
_KILLED = 128 + signal.SIGKILL


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
        self._lasting: LongLived | None = None
        self._held: int | None = None

    def start(self, mounts: Mounts, limits: Limits, lifetime: Lifetime = "action") -> None:
        self.stop()
        self._mounts, self._limits, self._lifetime = mounts, limits, lifetime
        if mounts.upper:  # held open, so that no other folder can get its number
            self._held = os.open(mounts.upper, os.O_PATH | os.O_DIRECTORY | os.O_CLOEXEC)
        self._filter = program()
        fixed = fixed_arguments(mounts, self._python, self._site, self._environment)
        self._arguments = [str(runnable_bwrap()), *fixed]
        if lifetime == "attempt":
            self._start_lasting()

    def _start_lasting(self) -> None:
        mounts = self._mounts
        if mounts.calls is None:
            raise InputError("a sandbox with services needs a folder for calls", mend="name it in its mounts")
        shown = last_arguments({**mounts.read_only, shell.CALLS: mounts.calls})
        arguments = [*(self._arguments or []), *shown, "--"]

        def start(command: list[str], output: int, inherited: list[int]) -> Bubble:
            return Bubble([*arguments, *command], self._filter, output, inherited, lasting=True)

        self._lasting = LongLived(start, mounts, self._limits)

    def run(self, command: str, *, seconds: float | None = None, pass_fds: tuple[int, ...] = ()) -> Result:
        if self._arguments is None:
            raise SandboxLost("the sandbox is not started")
        limit = self._limits.seconds if seconds is None else seconds
        if self._lifetime == "attempt":
            if pass_fds:
                raise InputError("a sandbox with services passes no descriptors", mend="mount a named pipe instead")
            return self._run_lasting(command, limit)
        self._require_same_folder()
        watchdog = Watchdog(self._limits, self._mounts)
        with contextlib.ExitStack() as stack:
            output_read, output_write = pipe(stack)
            left_read, left_write = pipe(stack)
            long = memory_file(os.fsencode(command), stack) if shell.is_long(command) else None
            arguments = [*self._arguments, *last_arguments(self._mounts.read_only, long), "--"]
            arguments += shell.once(command, self._limits, left_write.fileno())
            inherited = [left_write.fileno(), *([long] if long is not None else []), *pass_fds]
            started = time.monotonic()
            bubble = Bubble(arguments, self._filter, output_write.fileno(), inherited)
            stack.callback(bubble.close)
            output_write.close()
            left_write.close()
            return self._attend(bubble, watchdog, started, limit, output_read, left_read)

    def _attend(
        self, bubble: Bubble, watchdog: Watchdog, started: float, seconds: float, output: BinaryIO, left: BinaryIO
    ) -> Result:
        """Reads output until every process of the sandbox is gone, or a limit says that it must be."""
        captured = CappedOutput(self._limits.output_bytes)
        reached: str | None = None
        poller = select.poll()
        open_ends = {output.fileno(), bubble.status.fileno()}
        for end in open_ends:
            poller.register(end, select.POLLIN)
        while open_ends:
            for end, _ in poller.poll(watchdog.pause() * 1000):
                if end == output.fileno():
                    data = os.read(end, 1 << 16)
                    captured.add(data)
                    more = bool(data)
                else:
                    more = bubble.hear()
                if not more:
                    poller.unregister(end)
                    open_ends.discard(end)
            if reached is None and open_ends:
                elapsed = time.monotonic() - started
                if elapsed > seconds:
                    reached = "seconds"
                elif bubble.pid is not None:
                    reached = watchdog.exceeded(bubble.pid)
                if reached:
                    bubble.kill()
        if not bubble.gone():
            raise SandboxLost("processes of the sandbox did not end within 30 s")
        report = left.read(1 << 16)
        if reached is None:
            self._check_life(bubble, report, captured)
            reached = watchdog.exceeded_disk(now=True)
        return finished(-1 if bubble.code is None else bubble.code, reached, captured, started, b"left" in report)

    @staticmethod
    def _check_life(bubble: Bubble, report: bytes, captured: CappedOutput) -> None:
        if bubble.code is None:
            said = captured.data().decode(errors="replace").strip()[-500:]
            raise SandboxLost(f"bubblewrap ended without a status (exit {bubble.process_code}): {said}")
        if b"end" not in report:
            # Nothing inside ends the shell around the command: it was killed, or never got as far as the command.
            why = "was killed from outside" if bubble.code == _KILLED else f"did not start (exit {bubble.code})"
            raise SandboxLost(f"the sandbox {why}: {captured.data().decode(errors='replace').strip()[-500:]}")

    def _run_lasting(self, command: str, seconds: float) -> Result:
        if self._lasting is None:
            raise SandboxLost("the sandbox is not started")
        result = self._lasting.run(command, seconds)
        if self._lasting.ended_by:
            self._lasting.stop()
            self._start_lasting()
        return result

    def paused(self) -> AbstractContextManager[None]:
        """All processes of a sandbox with services are stopped meanwhile, so that the layer can be read."""
        return self._lasting.paused() if self._lasting else contextlib.nullcontext()

    def processes(self) -> dict[int, str]:
        """Live processes of a sandbox with services, by their pid inside: command line."""
        return self._lasting.processes() if self._lasting else {}

    def _require_same_folder(self) -> None:
        """Raises ``SandboxLost`` when the folder of changes is not the one that the sandbox was started on."""
        upper = self._mounts.upper
        if upper is None or self._held is None:
            return
        try:
            same = os.path.samestat(os.stat(upper), os.fstat(self._held))
        except FileNotFoundError:
            raise SandboxLost(f"{upper} is not there any more") from None
        if not same:
            raise SandboxLost("the folder of its changes was removed from outside, and made anew")

    def stop(self) -> None:
        held, self._held = self._held, None
        if held is not None:
            os.close(held)
        self._arguments = None
        lasting, self._lasting = self._lasting, None
        if lasting:
            lasting.stop()
