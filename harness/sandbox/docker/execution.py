"""One ``docker exec``: started, read to its end, with its exit status."""

from __future__ import annotations

import contextlib
import os
import select
import socket
from typing import Any

from harness.sandbox.docker.engine import client

_STDOUT = 1
#: Kept of the wrapper's own words (stderr).
_WORDS_MAX = 4096


class Execution:
    """A command in a container, its output as it comes.

    The wrapper waits for a line on its input before it starts the command: what a command prints at once could
    otherwise arrive together with the engine's answer, which the SDK reads through a buffer that it then drops.
    """

    def __init__(self, container: str, command: list[str], user: str, workdir: str):
        api = client().api
        self.id = api.exec_create(container, command, stdin=True, user=user, workdir=workdir)["Id"]
        self._stream = api.exec_start(self.id, socket=True)
        self._socket: socket.socket = self._stream._sock
        self._pending = b""
        self.words = b""
        """What the wrapper said on stderr."""
        self.ended = False

    def go(self) -> None:
        """Lets the command start."""
        self._socket.sendall(b"go\n")

    def read(self, seconds: float) -> bytes:
        """Output that comes within ``seconds``; ``ended`` is set at the end of the stream."""
        poller = select.poll()
        poller.register(self._socket, select.POLLIN | select.POLLHUP)
        if not poller.poll(seconds * 1000):
            return b""
        try:
            data = self._socket.recv(1 << 16)
        except OSError:
            data = b""
        if not data:
            self.ended = True
            return b""
        return self._unframe(data)

    def _unframe(self, data: bytes) -> bytes:
        """Takes the engine's frames apart: one byte stream, three of padding, four of length, payload."""
        self._pending += data
        output = bytearray()
        while len(self._pending) >= 8:
            size = int.from_bytes(self._pending[4:8])
            if len(self._pending) < 8 + size:
                break
            payload = self._pending[8 : 8 + size]
            if self._pending[0] == _STDOUT:
                output += payload
            else:
                self.words = (self.words + payload)[:_WORDS_MAX]
            self._pending = self._pending[8 + size :]
        return bytes(output)

    def facts(self) -> dict[str, Any]:
        """What the engine knows of the exec: ``Running``, ``ExitCode``, ``Pid`` (on the host) ..."""
        found: dict[str, Any] = client().api.exec_inspect(self.id)
        return found

    def handle(self) -> int | None:
        """A pidfd of the exec's process, None when it has ended."""
        with contextlib.suppress(OSError):
            return os.pidfd_open(int(self.facts()["Pid"]))
        return None

    def close(self) -> None:
        """Gives the connection back."""
        self._socket.close()
        self._stream.close()
