"""What the host puts out for a probe to find: listeners, a process, files, a variable, an open descriptor."""

from __future__ import annotations

import contextlib
import os
import secrets
import selectors
import socket
import subprocess
import tempfile
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from harness.sandbox.spawn import spawn

#: The variable of the harness's own environment that no sandbox may show.
VARIABLE = "RESTARTLAB_SELFCHECK_KEY"


class Listeners:
    """Sockets of the host, served by one thread: whoever connects is sent the secret, datagrams are kept."""

    def __init__(self, secret: bytes, folder: Path):
        self._secret = secret
        self.received = b""
        self._selector = selectors.DefaultSelector()
        self.abstract = f"restartlab-selfcheck-{secrets.token_hex(6)}"
        self.path = folder / "s"
        self.tcp_port = self._add(socket.socket(), ("127.0.0.1", 0))[1]
        self.udp_port = self._add(socket.socket(type=socket.SOCK_DGRAM), ("127.0.0.1", 0))[1]
        self._add(socket.socket(socket.AF_UNIX), "\0" + self.abstract)
        self._add(socket.socket(socket.AF_UNIX), str(self.path))
        self.path.chmod(0o777)
        self._stopping = False
        self._thread = threading.Thread(target=self._serve, daemon=True)
        self._thread.start()

    def _add(self, made: socket.socket, address: object) -> tuple[str, int]:
        made.bind(address)  # type: ignore[arg-type]
        if made.type == socket.SOCK_STREAM:
            made.listen(8)
        self._selector.register(made, selectors.EVENT_READ)
        name = made.getsockname()
        return name if isinstance(name, tuple) else ("", 0)

    def _serve(self) -> None:
        while not self._stopping:
            for key, _ in self._selector.select(0.1):
                listener = key.fileobj
                assert isinstance(listener, socket.socket)
                with contextlib.suppress(OSError):
                    if listener.type == socket.SOCK_DGRAM:
                        self.received += listener.recv(4096)
                    else:
                        with listener.accept()[0] as connection:
                            connection.sendall(self._secret)

    def has_received(self, data: bytes, seconds: float = 0.2) -> bool:
        """Whether a datagram with ``data`` came, or comes within ``seconds``."""
        deadline = time.monotonic() + seconds
        while data not in self.received and time.monotonic() < deadline:
            time.sleep(0.02)
        return data in self.received

    def close(self) -> None:
        self._stopping = True
        self._thread.join()
        for key in list(self._selector.get_map().values()):
            key.fileobj.close()  # type: ignore[union-attr]
        self._selector.close()


class Bystander:
    """A process of the host under the very uid that sandboxes run as, so that only namespaces stand between."""

    def __init__(self, secret: str, marker: str):
        self._secret, self._marker = secret, marker
        self._process: subprocess.Popen[bytes] | None = None

    @property
    def pid(self) -> int:
        """Of a live one; a new one takes the place of one that was killed."""
        if self._process is None or self._process.poll() is not None:
            self._process = spawn(
                ["/bin/sh", "-c", "read line", self._marker], stdin=subprocess.PIPE, cwd="/",
                env={"SELFCHECK_CANARY": self._secret},
            )  # fmt: skip
        assert self._process is not None
        return self._process.pid

    @property
    def alive(self) -> bool:
        return self._process is not None and self._process.poll() is None

    def close(self) -> None:
        if self._process is not None:
            self._process.kill()
            self._process.communicate()


@contextmanager
def variable(secret: str) -> Iterator[None]:
    """The secret in this process's own environment."""
    os.environ[VARIABLE] = secret
    try:
        yield
    finally:
        del os.environ[VARIABLE]


@contextmanager
def temporary_file(name: str, secret: str) -> Iterator[Path]:
    """A file that anyone may read in the host's temporary folder."""
    path = Path(tempfile.gettempdir(), name)
    path.write_text(secret)
    path.chmod(0o644)
    try:
        yield path
    finally:
        path.unlink(missing_ok=True)


@contextmanager
def inherited_descriptor(path: Path) -> Iterator[int]:
    """A descriptor of ``path`` that a careless harness would hand to its children."""
    end = os.open(path, os.O_RDONLY)
    os.set_inheritable(end, True)
    try:
        yield end
    finally:
        os.close(end)
