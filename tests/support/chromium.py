"""A headless Chromium, spoken to over its debugging pipe: no driver, no port."""

from __future__ import annotations

import fcntl
import json
import os
import select
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

CHROMIUM = Path("/usr/bin/chromium")

_FLAGS = (
    "--headless --no-sandbox --disable-gpu --disable-quic --no-first-run --disable-background-networking "
    "--disable-component-update --disable-sync --hide-scrollbars --remote-debugging-pipe"
)

#: The browser reads descriptor 3 and writes descriptor 4.
_PLUG = (
    "import os, sys; os.dup2(int(sys.argv[1]), 3); os.dup2(int(sys.argv[2]), 4); os.execv(sys.argv[3], sys.argv[3:])"
)


class Chromium:
    """One browser with one page. ``events`` holds what the page and its network said, in order."""

    def __init__(self, width: int = 1280, height: int = 1000):
        self._profile = tempfile.mkdtemp(prefix="chromium-")
        commands, self._write = _pipe()
        self._read, answers = _pipe()
        words = [str(CHROMIUM), *_FLAGS.split(), f"--user-data-dir={self._profile}", f"--window-size={width},{height}"]
        self._process = subprocess.Popen(
            [sys.executable, "-c", _PLUG, str(commands), str(answers), *words, "about:blank"],
            pass_fds=(commands, answers), stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
        )  # fmt: skip
        os.close(commands)
        os.close(answers)
        self._buffer, self._number, self._session = b"", 0, ""
        self.events: list[dict[str, Any]] = []
        target = self.call("Target.createTarget", url="about:blank")["targetId"]
        self._session = self.call("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]
        for domain in ("Page", "Runtime", "Log", "Network"):
            self.call(f"{domain}.enable")
        self.resize(width, height)

    def __enter__(self) -> Chromium:
        return self

    def __exit__(self, *_: object) -> None:
        os.close(self._write)  # the browser ends when its pipe does
        try:
            self._process.wait(10)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()
        os.close(self._read)
        shutil.rmtree(self._profile, ignore_errors=True)

    def call(self, method: str, **params: Any) -> dict[str, Any]:
        """Result of a command of the debugging protocol."""
        self._number += 1
        number = self._number
        message: dict[str, Any] = {"id": number, "method": method, "params": params}
        if self._session:
            message["sessionId"] = self._session
        os.write(self._write, json.dumps(message).encode() + b"\0")
        found = self._until(lambda said: said.get("id") == number)
        assert "error" not in found, (method, found["error"])
        return dict(found["result"])

    def open(self, path: Path) -> None:
        """Loads a file, to the end."""
        self.call("Page.navigate", url=path.as_uri())
        self._until(lambda said: said.get("method") == "Page.loadEventFired")

    def evaluate(self, script: str) -> Any:
        """Value of an expression in the page."""
        return self.call("Runtime.evaluate", expression=script, returnByValue=True, awaitPromise=True)["result"].get(
            "value"
        )

    def resize(self, width: int, height: int, *, dark: bool = False) -> None:
        """Makes the page's screen that large, in CSS pixels."""
        self.call(
            "Emulation.setDeviceMetricsOverride", width=width, height=height, deviceScaleFactor=1, mobile=width < 600
        )
        scheme = {"name": "prefers-color-scheme", "value": "dark" if dark else "light"}
        self.call("Emulation.setEmulatedMedia", features=[scheme])

    def screenshot(self) -> bytes:
        """The page's screen as PNG."""
        import base64

        return base64.b64decode(self.call("Page.captureScreenshot", format="png")["data"])

    def _until(self, wanted: Callable[[dict[str, Any]], bool], seconds: float = 60) -> dict[str, Any]:
        end = time.monotonic() + seconds
        while True:
            while b"\0" in self._buffer:
                text, _, self._buffer = self._buffer.partition(b"\0")
                said = json.loads(text)
                if "id" not in said:
                    self.events.append(said)
                if wanted(said):
                    return dict(said)
            ready, _, _ = select.select([self._read], [], [], max(0.0, end - time.monotonic()))
            data = os.read(self._read, 1 << 16) if ready else b""
            assert data, "chromium did not answer" if not ready else "chromium ended"
            self._buffer += data


def _pipe() -> tuple[int, int]:
    """A pipe whose descriptors are out of the way of those that the browser expects."""
    found = []
    for end in os.pipe():
        found.append(fcntl.fcntl(end, fcntl.F_DUPFD_CLOEXEC, 10))
        os.close(end)
    return found[0], found[1]
