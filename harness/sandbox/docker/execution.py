"""One ``docker exec``: started, read to the end of its command, with its exit status."""

from __future__ import annotations

import contextlib
import secrets
import select
import socket

from harness.sandbox.docker.engine import client

_STDOUT = 1


class Execution:
    """A command in a container, its output as it comes.

    Its wrapper reads one line, a secret word, before it starts the command: what a command prints at once could
    otherwise arrive together with the engine's answer, which the SDK reads through a buffer that it then drops. After
    the command it prints the word with exit status and what was left, in the same stream, so that the end of output is
    known without asking the engine, and even if something else holds the stream open.
    """

    def __init__(self, container: str, command: list[str], user: str, workdir: str):
        api = client().api
        self._word = secrets.token_hex(16).encode()
        self.id = api.exec_create(container, command, stdin=True, stderr=False, user=user, workdir=workdir)["Id"]
        self._stream = api.exec_start(self.id, socket=True)
        self._socket: socket.socket = self._stream._sock
        self._frames = self._held = b""
        self.ended = False
        """The stream is at its end, or the wrapper has said how the command ended."""
        self.status: tuple[int, bool] | None = None
        """Exit status, and whether processes were left; None when the wrapper was killed before it said so."""

    def go(self) -> None:
        """Lets the command start."""
        self._socket.sendall(self._word + b"\n")

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
            output, self._held = self._held, b""
            return output
        return self._until_word(self._unframed(data))

    def _unframed(self, data: bytes) -> bytes:
        """Takes the engine's frames apart: one byte for the stream, three of padding, four of length, payload."""
        self._frames += data
        output = bytearray()
        while len(self._frames) >= 8:
            size = int.from_bytes(self._frames[4:8])
            if len(self._frames) < 8 + size:
                break
            if self._frames[0] == _STDOUT:
                output += self._frames[8 : 8 + size]
            self._frames = self._frames[8 + size :]
        return bytes(output)

    def _until_word(self, data: bytes) -> bytes:
        """Output before the secret word; what could be its beginning is held back."""
        self._held += data
        output, found, rest = self._held.partition(self._word)
        if not found:
            keep = len(self._held) - len(self._word) + 1
            output, self._held = self._held[: max(0, keep)], self._held[max(0, keep) :]
            return output
        self._held = found + rest
        line, complete, _ = rest.partition(b"\n")
        if complete:
            code, left = line.split()
            self.status, self.ended, self._held = (int(code), left == b"left"), True, b""
        return output

    def started(self) -> int | None:
        """Pid of the wrapper on this host; 0 when it has ended, None before it starts."""
        facts = client().api.exec_inspect(self.id)
        return int(facts["Pid"]) if facts["Running"] and facts["Pid"] else (None if facts["ExitCode"] is None else 0)

    def close(self) -> None:
        """Gives the connection back."""
        with contextlib.suppress(OSError):
            self._socket.close()
            self._stream.close()
