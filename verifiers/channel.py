"""How a test runner in a sandbox gets its request and gives its report: two one-way streams that no file holds.

Where the sandbox hands descriptors over, they are pipes; a container gets named pipes, mounted read-only.
"""

from __future__ import annotations

import contextlib
import os
import random
import secrets
import threading
from collections.abc import Callable
from pathlib import Path
from typing import BinaryIO

from harness.paths import state_dir
from harness.sandbox import host
from harness.sandbox.interface import Mounts, Result
from harness.workspace.files import remove_tree

_PLACE = "/run/verifier/channel"
#: Longest report that is read, bytes.
_REPORT_MAX = 4 << 20

#: Runs a command that finds its ends at these two descriptors.
Run = Callable[[str, tuple[int, ...]], Result]


class Channel:
    """Both streams of one evaluation; use as a context manager.

    Args:
        descriptors: whether the sandbox hands descriptors over.
    """

    def __init__(self, *, descriptors: bool):
        self._stack = contextlib.ExitStack()
        self._folder: Path | None = None
        if not descriptors:
            self._folder = state_dir() / "channels" / secrets.token_hex(8)

    def __enter__(self) -> Channel:
        if self._folder is not None:
            self._folder.mkdir(mode=0o755, parents=True)
            self._stack.callback(remove_tree, self._folder)
            for name in ("request", "report"):
                os.mkfifo(self._folder / name, 0o600)
                host.give(self._folder / name)
        return self

    def __exit__(self, *_: object) -> None:
        self._stack.close()

    def show(self, mounts: Mounts) -> None:
        """Adds to ``mounts`` what the sandbox must show; before it starts."""
        if self._folder is not None:
            mounts.read_only[_PLACE] = self._folder

    def exchange(self, request: bytes, command: str, run: Run) -> tuple[Result, bytes]:
        """Runs ``command`` with two numbers appended, the descriptors of request and report; its result and report.

        Args:
            request: one line. Its end is not the end of the stream, which stays open until the command has ended.
        """
        (request_read, request_write), (report_read, report_write) = self._pair("request"), self._pair("report")
        received: list[bytes] = []
        threads = [
            threading.Thread(target=_send, args=(request_write, request + b"\n")),
            threading.Thread(target=lambda: received.append(report_read.read(_REPORT_MAX))),
        ]
        for thread in threads:
            thread.start()
        try:
            if self._folder is None:
                ends = (request_read.fileno(), report_write.fileno())
                result = run(f"exec {command} {ends[0]} {ends[1]}", ends)
            else:
                a, b = random.SystemRandom().sample(range(10, 250), 2)
                result = run(f"exec {command} {a} {b} {a}<{_PLACE}/request {b}>{_PLACE}/report", ())
        finally:
            request_read.close()
            report_write.close()
            for thread in threads:
                thread.join()
        return result, b"".join(received)

    def _pair(self, name: str) -> tuple[BinaryIO, BinaryIO]:
        """Read and write end of a stream.

        Of a named pipe this process holds both ends, too: opening one inside never waits, and a runner that does not
        start leaves no thread waiting here.
        """
        if self._folder is None:
            read, write = os.pipe()
        else:
            path = self._folder / name
            read = os.open(path, os.O_RDONLY | os.O_NONBLOCK)
            write = os.open(path, os.O_WRONLY)
            os.set_blocking(read, True)
        return self._stack.enter_context(open(read, "rb")), self._stack.enter_context(open(write, "wb", 0))


def _send(stream: BinaryIO, data: bytes) -> None:
    """Writes the request; nobody reads it when the sandbox did not start."""
    with contextlib.suppress(OSError):
        while data:
            data = data[stream.write(data) :]
