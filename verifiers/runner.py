"""Runs hidden tests inside the evaluator's sandbox. Started by verifiers.hidden; imports nothing of restartlab.

Usage: python3 -P -s -S -B runner.py REQUEST_FD REPORT_FD

The request (one line of JSON: key, module, site, workspace, code, tests, seconds) is read before any candidate code is
imported. Reports are lines signed with the request's one-time key, over a descriptor whose number varies; nothing that
candidate code prints, exits with or writes to a file counts. Each test runs in a child forked after the import: it
starts from the same state whatever ran before, and a test that ends the process ends its own child only.
"""

import hashlib
import hmac
import json
import os
import signal
import site
import sys
import time
from collections.abc import Callable
from typing import Any

_write, _fork, _wait, _kill = os.write, os.fork, os.waitpid, os.kill
_exit, _clock, _sleep = os._exit, time.monotonic, time.sleep


def _reporter(key: bytes, end: int) -> Callable[..., None]:
    new, dumps, sha256 = hmac.new, json.dumps, hashlib.sha256

    def report(**message: Any) -> None:
        body = dumps(message, sort_keys=True).encode()
        _write(end, new(key, body, sha256).hexdigest().encode() + b" " + body + b"\n")

    return report


def _explain(error: BaseException) -> str:
    try:
        text = f"{type(error).__name__}: {error}"
    except Exception:
        text = type(error).__name__
    return text.encode("utf-8", "replace").decode()[:300]


def _run_one(name: str, code: Any, report: Callable[..., None]) -> None:
    """In the child: defines the tests, runs one, reports, ends without any clean-up of candidate code."""
    scope: dict[str, Any] = {"__name__": "hidden", "__file__": "hidden"}
    try:
        exec(code, scope)
        scope[name]()
    except BaseException as error:
        report(test=name, result="fail", detail=_explain(error))
    else:
        report(test=name, result="pass")
    _exit(0)


def _wait_for(pid: int, seconds: float) -> int | None:
    """Exit status of ``pid``; None when it had to be killed."""
    deadline, pause = _clock() + seconds, 0.001
    while _clock() < deadline:
        done, status = _wait(pid, os.WNOHANG)
        if done:
            return status
        _sleep(pause)
        pause = min(pause * 1.5, 0.05)
    _kill(pid, signal.SIGKILL)
    _wait(pid, 0)
    return None


def main() -> None:
    request_end, report_end = int(sys.argv[1]), int(sys.argv[2])
    with os.fdopen(request_end, "rb") as stream:
        request = json.loads(stream.readline())
    report = _reporter(bytes.fromhex(request.pop("key")), report_end)
    report(stage="alive")
    code = compile(request["code"], "hidden", "exec", dont_inherit=True)
    # With its .pth files (distutils for old releases), but without the site module's own start-up, which would run a
    # sitecustomize of the candidate. The workspace comes last, so it cannot stand in for the standard library.
    site.addsitedir(request["site"])
    sys.path = [*(p for p in sys.path if p != request["workspace"]), request["workspace"]]
    try:
        __import__(request["module"])
    except BaseException as error:
        report(stage="import", detail=_explain(error))
        _exit(0)
    for name in request["tests"]:
        pid = _fork()
        if pid == 0:
            _run_one(name, code, report)
        status = _wait_for(pid, request["seconds"])
        if status is None:
            report(test=name, result="timeout")
        elif status != 0:
            report(test=name, result="died", detail=f"wait status {status}")
    report(stage="end")
    _exit(0)


main()
