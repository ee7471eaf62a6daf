"""Probes a candidate's system inside the evaluator's sandbox. Started by verifiers.recovery.probing; imports nothing
of restartlab.

Usage: python3 -I -S -B inside.py REQUEST_FD REPORT_FD

The request (one line of JSON: key, code, seed, workspace, seconds, steps) is read before any program of the candidate
runs. Programs of the candidate run as children in processes of their own, under the same user; this process cannot be
traced by them and holds the only key that reports are signed with. Steps, in order:

    call    runs functions of the checks: each returns JSON data, or raises
    spawn   runs a shell command of the candidate's system and waits for it
    wipe    empties folders
    end     kills every process of the candidate

A function gets a ``Context``. Standard library only; Python 3.8 and later.
"""

from __future__ import annotations

import contextlib
import ctypes
import hashlib
import hmac
import json
import os
import random
import shutil
import signal
import socket
import sqlite3
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

_PR_SET_DUMPABLE = 4
#: Characters kept of a message.
_DETAIL = 300


class Context:
    """What a check works with.

    ``root``: the workspace; ``random``: seeded by the evaluator, never the same twice; ``memo``: kept from check to
    check, through the restart.
    """

    def __init__(self, root: str, seed: str):
        self.root = Path(root)
        self.random = random.Random(seed)
        self.memo: dict[str, Any] = {}

    def ask(self, path: str, line: str, seconds: float = 2.0) -> str:
        """Sends a line to the Unix socket ``path`` of the workspace; the line that comes back, without its end."""
        with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as connection:
            connection.settimeout(seconds)
            connection.connect(os.path.relpath(self.root / path))
            connection.sendall(line.encode() + b"\n")
            data = b""
            while not data.endswith(b"\n") and len(data) < 1 << 20:
                more = connection.recv(1 << 16)
                if not more:
                    break
                data += more
        return data.decode("utf-8", "replace").rstrip("\n")

    def ask_each(self, path: str, messages: list[Any], seconds: float = 4.0) -> list[Any]:
        """As ``ask_json`` for many messages over one connection, the answers in their order."""
        with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as connection:
            connection.settimeout(seconds)
            connection.connect(os.path.relpath(self.root / path))
            with connection.makefile("rwb") as stream:
                found = []
                for message in messages:
                    stream.write(json.dumps(message).encode() + b"\n")
                    stream.flush()
                    found.append(json.loads(stream.readline()))
        return found

    def ask_json(self, path: str, message: Any, seconds: float = 2.0) -> Any:
        """As ``ask``, with JSON both ways."""
        return json.loads(self.ask(path, json.dumps(message), seconds))

    def until(self, condition: Callable[[], Any], seconds: float = 3.0) -> Any:
        """Waits until ``condition()`` is true, and returns its value; raises where it does not become so in time."""
        deadline = time.monotonic() + seconds
        while True:
            error: Exception | None = None
            try:
                value = condition()
                if value:
                    return value
            except (OSError, ValueError, KeyError, sqlite3.Error) as failed:
                error = failed
            if time.monotonic() > deadline:
                raise AssertionError(f"did not come about within {seconds:g} s" + (f": {error}" if error else ""))
            time.sleep(0.01)

    def rows(self, path: str, query: str, *values: Any) -> list[list[Any]]:
        """The rows of a query on the SQLite database ``path`` of the workspace, which must exist."""
        if not (self.root / path).is_file():
            raise AssertionError(f"{path} is not there")
        connection = sqlite3.connect(str(self.root / path), timeout=2.0, isolation_level=None)
        try:
            return [list(row) for row in connection.execute(query, values)]
        finally:
            connection.close()

    def text(self, path: str) -> str:
        """Text of the file ``path`` of the workspace."""
        return (self.root / path).read_text()

    def json(self, path: str) -> Any:
        """JSON data in the file ``path`` of the workspace."""
        return json.loads(self.text(path))

    def shell(self, command: str, seconds: float = 3.0) -> subprocess.CompletedProcess[str]:
        """Runs a command of the candidate's system as its operator would."""
        return _shell(command, str(self.root), seconds)


class _TooLong(Exception):
    """A check used up its time."""


def _shell(command: str, root: str, seconds: float) -> subprocess.CompletedProcess[str]:
    """Runs a shell command in a session of its own; output goes to a file, as what it starts may keep it open."""
    place = os.path.join("/tmp", f"output-{os.getpid()}-{time.monotonic_ns()}")
    with open(place, "w+b") as output:
        os.unlink(place)
        process = subprocess.Popen(
            ["bash", "-c", command], cwd=root, stdin=subprocess.DEVNULL, stdout=output, stderr=output,
            start_new_session=True, close_fds=True,
        )  # fmt: skip
        try:
            code = process.wait(seconds)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()
            code = -9
        output.seek(0)
        said = output.read(1 << 16).decode("utf-8", "replace")
    return subprocess.CompletedProcess(command, code, said, "")


def _end_others() -> None:
    """Kills every process that is not this one, one of its parents, or somebody else's."""
    spared = {os.getpid(), 1}
    parent = os.getppid()
    while parent > 1:
        spared.add(parent)
        try:
            parent = int(Path(f"/proc/{parent}/stat").read_text().rpartition(") ")[2].split()[1])
        except (OSError, ValueError, IndexError):
            break
    deadline = time.monotonic() + 5
    while time.monotonic() < deadline:
        left = False
        for name in os.listdir("/proc"):
            if not name.isdigit() or int(name) in spared:
                continue
            try:
                state = Path(f"/proc/{name}/stat").read_text().rpartition(") ")[2][:1]
                if state not in ("Z", "X"):
                    os.kill(int(name), signal.SIGKILL)
                    left = True
            except OSError:  # gone, or not ours
                continue
        with contextlib.suppress(ChildProcessError):
            while os.waitpid(-1, os.WNOHANG)[0]:
                pass
        if not left:
            return
        time.sleep(0.002)


def _wipe(root: str, folders: list[str]) -> None:
    for name in folders:
        folder = os.path.join(root, name)
        if os.path.islink(folder) or not os.path.isdir(folder):
            with contextlib.suppress(OSError):
                os.unlink(folder)
            with contextlib.suppress(OSError):
                os.mkdir(folder)
            continue
        for entry in os.scandir(folder):
            if entry.is_dir(follow_symlinks=False):
                shutil.rmtree(entry.path, ignore_errors=True)
            else:
                with contextlib.suppress(OSError):
                    os.unlink(entry.path)


def _call(function: Callable[[Context], Any], context: Context, seconds: float) -> dict[str, Any]:
    def over(*_: Any) -> None:
        raise _TooLong(f"took longer than {seconds:g} s")

    signal.signal(signal.SIGALRM, over)
    signal.setitimer(signal.ITIMER_REAL, seconds)
    try:
        value = function(context)
        return {"result": "pass", "value": json.dumps(value)}
    except BaseException as error:
        return {"result": "fail", "detail": f"{type(error).__name__}: {error}"[:_DETAIL]}
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)


def main() -> None:
    request_end, report_end = int(sys.argv[1]), int(sys.argv[2])
    with os.fdopen(request_end, "rb") as stream:
        request = json.loads(stream.readline())
    os.set_inheritable(report_end, False)
    ctypes.CDLL(None).prctl(_PR_SET_DUMPABLE, 0, 0, 0, 0)
    key = bytes.fromhex(request["key"])

    def report(**message: Any) -> None:
        body = json.dumps(message).encode()
        os.write(report_end, hmac.new(key, body, hashlib.sha256).hexdigest().encode() + b" " + body + b"\n")

    report(stage="alive")
    os.chdir(request["workspace"])
    scope: dict[str, Any] = {"__name__": "checks"}
    exec(compile(request["code"], "checks", "exec", dont_inherit=True), scope)
    context = Context(request["workspace"], request["seed"])
    for number, step in enumerate(request["steps"]):
        if step["do"] == "call":
            for name in step["names"]:
                report(stage=step["stage"], check=name, **_call(scope[name], context, request["seconds"]))
        elif step["do"] == "spawn":
            done = _shell(step["command"], request["workspace"], step["seconds"])
            report(stage=step["stage"], step=number, code=done.returncode, detail=done.stdout[-_DETAIL:])
        elif step["do"] == "wipe":
            _wipe(request["workspace"], step["folders"])
        elif step["do"] == "end":
            _end_others()
    report(stage="end")


main()
