"""A bubblewrap that lives as long as an attempt: what a command leaves running serves the next ones.

Limits hold between commands too. One that is exceeded while a command runs ends that command and what it started.
Memory that is still exceeded then, or a limit that is while no command runs, ends everything: after that there is a
new sandbox over the same folders, without services. The command that would have run meanwhile returns with the limit.
"""

from __future__ import annotations

import contextlib
import os
import select
import threading
import time
from collections.abc import Callable, Iterator

from harness.sandbox import host, shell
from harness.sandbox.bubble import Bubble, pipe
from harness.sandbox.interface import Limits, Mounts, Result, SandboxLost
from harness.sandbox.killing import kill_below, live_below, stopped_below
from harness.sandbox.output import CappedOutput, finished
from harness.sandbox.processes import seen_inside
from harness.sandbox.watchdog import Watchdog

#: Seconds between looks while no command runs.
_IDLE_EVERY = 0.25
#: Seconds in which a sandbox must start.
_READY_SECONDS = 60.0
#: Seconds in which killed processes must be gone, or processes stop.
_END_SECONDS = 30.0

Start = Callable[[list[str], int, list[int]], Bubble]


class LongLived:
    """Runs commands, one at a time, in one sandbox until ``stop``.

    Args:
        start: makes the bubblewrap from a command, a descriptor for its output, and descriptors that it inherits.
        mounts: ``calls`` is needed.
    """

    def __init__(self, start: Start, mounts: Mounts, limits: Limits):
        assert mounts.calls is not None
        self._mounts, self._limits, self._calls = mounts, limits, mounts.calls
        self._busy = threading.Lock()
        self._over = threading.Event()
        self._ended_by: str | None = None
        self._number = 0
        self._lent: list[int] = []
        """Read ends of pipes into which what a command left still may write; nobody hears it."""
        with contextlib.ExitStack() as stack:
            requests, self._requests = pipe(stack)
            self._reports, reports = pipe(stack)
            script = shell.forever(limits, requests.fileno(), reports.fileno())
            self._bubble = start(script, reports.fileno(), [requests.fileno(), reports.fileno()])
            stack.callback(self._bubble.close)
            requests.close()
            reports.close()
            self._wait_until_ready()
            self._stack = stack.pop_all()
        self._watchdog = Watchdog(limits, mounts)
        self._idle = threading.Thread(target=self._watch, name="restartlab-services", daemon=True)
        self._idle.start()

    def _wait_until_ready(self) -> None:
        poller = select.poll()
        poller.register(self._reports, select.POLLIN)
        if poller.poll(_READY_SECONDS * 1000):
            said = self._reports.read(1 << 16)
            if said.endswith(shell.READY) and self._bubble.hear():
                return
            raise SandboxLost(f"bubblewrap did not start: {said.decode(errors='replace').strip()[-500:]}")
        raise SandboxLost(f"the sandbox did not start within {_READY_SECONDS:.0f} s")

    @property
    def ended_by(self) -> str | None:
        """The limit that ended all processes, None while they live."""
        return self._ended_by

    def run(self, command: str, seconds: float) -> Result:
        with self._busy:
            if self._ended_by:
                return Result(-1, b"", 0.0, limit=self._ended_by)
            return self._run(command, seconds)

    def _run(self, command: str, seconds: float) -> Result:
        first = self._first()
        before = frozenset(live_below(first))
        output = self._hand_over(command)
        self._lent.append(output)
        captured = CappedOutput(self._limits.output_bytes)
        started = time.monotonic()
        code, reached = self._attend(first, before, output, captured, started, seconds)
        while _take(output, captured):
            pass
        left = bool(live_below(first, before))
        if reached is None and (over := self._watchdog.exceeded_disk(now=True)):
            reached = over
            self._kill(first, before)
        if reached == "memory" and self._watchdog.exceeded(first, now=True) == "memory":
            self._end(reached)
        self._watchdog = Watchdog(self._limits, self._mounts)
        return finished(code, reached, captured, started, left)

    def _first(self) -> int:
        if not self._bubble.alive or self._bubble.pid is None:
            raise SandboxLost("the sandbox ended between commands")
        return self._bubble.pid

    def _hand_over(self, command: str) -> int:
        """Tells the sandbox to run ``command``; returns the end of its output."""
        output, text = self._calls / "output", self._calls / "text"
        output.unlink(missing_ok=True)
        os.mkfifo(output, 0o600)
        host.give(output)
        end = os.open(output, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC)
        text.write_bytes(os.fsencode(command))
        self._number += 1
        length = "long" if shell.is_long(command) else "short"
        try:
            self._requests.write(f"{self._number} {length}\n".encode())
        except BrokenPipeError:
            os.close(end)
            raise SandboxLost("the sandbox ended between commands") from None
        return end

    def _attend(
        self, first: int, before: frozenset[int], output: int, captured: CappedOutput, started: float, seconds: float
    ) -> tuple[int, str | None]:
        """Reads output until the command has ended: its code, and the limit that ended it."""
        reached: str | None = None
        poller = select.poll()
        for end in (output, self._reports.fileno(), self._bubble.status.fileno()):
            poller.register(end, select.POLLIN)
        while True:
            for end, _ in poller.poll(self._watchdog.pause() * 1000):
                if end == output and not _take(output, captured):
                    poller.unregister(output)
                elif end == self._reports.fileno():
                    if (code := self._report()) is not None:
                        return code, reached
                elif end == self._bubble.status.fileno() and not self._bubble.hear():
                    raise SandboxLost("the sandbox ended while a command ran in it")
            self._drain(but=output)
            elapsed = time.monotonic() - started
            if reached is None:
                reached = "seconds" if elapsed > seconds else self._watchdog.exceeded(first)
            if reached:
                self._kill(first, before)
                if elapsed > seconds + 2 * _END_SECONDS:
                    raise SandboxLost("the sandbox does not answer")

    def _report(self) -> int | None:
        """Exit code of the command that runs, if that is what the sandbox says. A command may write there too."""
        for line in self._reports.read(1 << 16).splitlines():
            words = line.split()
            if len(words) == 2 and words[0] == b"%d" % self._number and words[1].isdigit():
                return int(words[1])
        return None

    def _kill(self, first: int, before: frozenset[int]) -> None:
        if not kill_below(first, before, _END_SECONDS):
            raise SandboxLost(f"processes of the sandbox did not end within {_END_SECONDS:.0f} s")

    def _end(self, limit: str) -> None:
        self._ended_by = limit
        self._bubble.kill()
        self._bubble.gone()

    def _drain(self, but: int = -1) -> None:
        for end in [end for end in self._lent if end != but]:
            try:
                data = os.read(end, 1 << 16)
            except BlockingIOError:
                continue
            if not data:
                os.close(end)
                self._lent.remove(end)

    def _watch(self) -> None:
        """Until ``stop``: looks after the services while no command runs."""
        while not self._over.wait(_IDLE_EVERY):
            if not self._busy.acquire(blocking=False):
                continue
            try:
                self._drain()
                if self._bubble.alive and self._bubble.pid is not None:
                    limit = self._watchdog.exceeded(self._bubble.pid)
                    if limit:
                        self._end(limit)
            finally:
                self._busy.release()

    @contextlib.contextmanager
    def paused(self) -> Iterator[None]:
        """All processes are stopped meanwhile, so that the layer can be read."""
        with self._busy:
            try:
                with stopped_below(self._first(), _END_SECONDS):
                    yield
            except TimeoutError as error:
                raise SandboxLost(str(error)) from error

    def processes(self) -> dict[int, str]:
        """Live processes by their pid inside: command line."""
        return seen_inside(live_below(self._first()))

    def stop(self) -> None:
        """Ends every process; may be called twice."""
        self._over.set()
        self._idle.join()
        self._stack.close()
        for end in self._lent:
            os.close(end)
        self._lent.clear()
        for name in ("output", "text"):
            (self._calls / name).unlink(missing_ok=True)


def _take(end: int, captured: CappedOutput) -> bool:
    """Whether there was something to read from ``end``."""
    try:
        data = os.read(end, 1 << 16)
    except BlockingIOError:
        return False
    captured.add(data)
    return bool(data)
