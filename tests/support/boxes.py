"""Sandboxes over hand-made folders, and questions to the host about what they left behind."""

from __future__ import annotations

import os
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from harness.sandbox import host
from harness.sandbox.factory import make_sandbox
from harness.sandbox.interface import Lifetime, Limits, Mounts, Result, Sandbox
from harness.sandbox.interpreter import Interpreter, choose
from harness.sandbox.tools import Tools

PYTHONS = ("3.11", "3.12", "3.13")


def sandbox_python() -> Interpreter:
    """The interpreter that tasks would get on this machine."""
    return choose(PYTHONS)


def open_folder(path: Path) -> Path:
    """``path``, made if need be, where the sandbox's uid may pass. (pytest's folders are closed to others.)"""
    path.mkdir(parents=True, exist_ok=True)
    path.chmod(0o755)
    return path


def given_folder(path: Path) -> Path:
    """A new folder that belongs to the sandbox's uid."""
    path.mkdir(mode=0o755)
    host.give(path)
    return path


@dataclass
class Box:
    """A started sandbox and the folders that it shows."""

    sandbox: Sandbox
    mounts: Mounts

    def run(self, command: str, **options: float) -> Result:
        return self.sandbox.run(command, **options)  # type: ignore[arg-type]

    def text(self, command: str) -> str:
        """Output of a command that must succeed."""
        done = self.run(command)
        assert done.returncode == 0, (done.returncode, done.limit, done.output[-2000:])
        return done.output.decode("utf-8", "surrogateescape")

    def python(self, code: str) -> str:
        """Output of a Python script that must succeed."""
        return self.text(f"python3 - <<'END_OF_SCRIPT'\n{code}\nEND_OF_SCRIPT")


def make_box(
    folder: Path, files: dict[str, bytes] | None = None, limits: Limits | None = None, kind: str = "bubblewrap",
    lifetime: Lifetime = "action",
) -> Box:  # fmt: skip
    """A sandbox whose workspace holds ``files``; all that it writes stays below ``folder``."""
    open_folder(folder)
    host.visible(folder)
    lower, upper, work, tmp, home = (given_folder(folder / n) for n in ("lower", "upper", "work", "tmp", "home"))
    for name, content in (files or {}).items():
        (lower / name).write_bytes(content)
        host.give(lower / name)
    sandbox = make_sandbox(kind, Tools(sandbox_python(), open_folder(folder / "site")))
    calls = given_folder(folder / "calls") if lifetime == "attempt" else None
    mounts = Mounts((lower,), upper, work, tmp, home, calls=calls)
    sandbox.start(mounts, limits or Limits(seconds=30), lifetime)
    return Box(sandbox, mounts)


def host_processes(marker: str) -> list[str]:
    """Command lines of this machine's processes that hold ``marker``."""
    found = []
    for folder in _process_folders():
        try:
            line = (folder / "cmdline").read_bytes().replace(b"\0", b" ").decode(errors="replace")
        except OSError:
            continue
        if marker in line:
            found.append(f"{folder.name}: {line}")
    return found


def children(pid: int) -> dict[int, tuple[str, str]]:
    """Name and state of each child of ``pid``, by pid."""
    found = {}
    for folder in _process_folders():
        try:
            text = (folder / "stat").read_text(errors="replace")
        except OSError:
            continue
        name, _, rest = text.partition("(")[2].rpartition(") ")
        state, parent = rest.split()[:2]
        if int(parent) == pid:
            found[int(folder.name)] = (name, state)
    return found


def _process_folders() -> Iterable[Path]:
    return [Path("/proc", name) for name in os.listdir("/proc") if name.isdigit()]


def boxed_checks(box: Box) -> None:
    """The promises of a sandbox that depend most on who runs it."""
    done = box.run("setsid sleep 600.123454321 & echo hi")
    assert (done.returncode, done.output, done.background_left) == (0, b"hi\n", True), done
    assert box.run("sleep 600.123454321", seconds=0.3).timed_out
    assert box.run("echo x > /usr/x; echo x > /etc/x; echo x > /x").returncode == 1
    assert box.run("python3 -c 'import socket; socket.create_connection((\"192.0.2.1\", 80), 3)'").returncode == 1
    assert box.text("id -u; python3 -c 'print(6 * 7)'").split() == ["1000", "42"]
    assert box.text("ls -A /proc/1") == ""  # the first process shows nothing
