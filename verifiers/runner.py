"""Runs hidden tests inside the evaluator's sandbox. Started by verifiers.evaluation; imports nothing of restartlab.

Usage: python3 -s -S -B runner.py REQUEST_FD REPORT_FD (with -P where Python has it)

The request (one line of JSON: key, module, site, workspace, before, suites, seconds) is read before any candidate code
is imported. Reports are lines signed with the request's one-time key, over a descriptor whose number varies; nothing
that candidate code prints, exits with or writes to a file counts. A suite is a module of tests (module, file, code,
tests as pairs of a name and a function), loaded in a child forked after the import; each test runs in a child of that
one: it starts from the same state whatever ran before, and a test that ends the process ends its own child only. Runs
on Python 3.7 and later.
"""

from __future__ import annotations

import builtins
import hashlib
import importlib
import inspect
import json
import json.encoder
import os
import signal
import site
import sys
import time
import types
from collections.abc import Callable
from typing import Any

_write, _fork, _wait, _kill = os.write, os.fork, os.waitpid, os.kill
_exit, _clock, _sleep = os._exit, time.monotonic, time.sleep
_exec, _quote = exec, json.encoder.encode_basestring_ascii
_import, _is_generator = importlib.import_module, inspect.isgenerator
#: Built-ins of this module: candidate code can patch those that everybody else shares.
__builtins__ = dict(vars(builtins))  # type: ignore[assignment]

#: Exceptions, by the names of their types, that say that a test judged nothing.
_NO_JUDGEMENT = {"Skipped": "skip", "SkipTest": "skip", "XFail": "xfail", "XPass": "xpass"}


def _reporter(key: bytes, end: int) -> Callable[..., None]:
    """HMAC-SHA256 and JSON of plain strings by hand: candidate code can patch the modules hmac and json, but none of
    the built-in functions and types used here."""
    sha256, block = hashlib.sha256, key.ljust(64, b"\0")
    inner, outer = bytes(b ^ 0x36 for b in block), bytes(b ^ 0x5C for b in block)

    def report(**message: str) -> None:
        body = ("{" + ", ".join([_quote(k) + ": " + _quote(message[k]) for k in message]) + "}").encode()
        _write(end, sha256(outer + sha256(inner + body).digest()).hexdigest().encode() + b" " + body + b"\n")

    return report


def _explain(error: BaseException) -> str:
    try:
        text = f"{type(error).__name__}: {error}"
    except Exception:
        text = type(error).__name__
    return text.encode("utf-8", "replace").decode()[:300]


class _ElsewhereError(Exception):
    """The package that the tests belong to cannot be imported."""


def _load(suite: dict[str, Any]) -> dict[str, Any]:
    """The names of a suite's module, which other modules find under its name."""
    package = suite["module"].rpartition(".")[0]
    if package:
        try:
            _import(package)
        except BaseException as error:
            raise _ElsewhereError(_explain(error)) from None
    module = types.ModuleType(suite["module"])
    module.__file__, module.__package__ = suite["file"], package
    sys.modules[suite["module"]] = module
    _exec(suite["code"], vars(module))
    return vars(module)


def _broke_elsewhere(error: BaseException, file: str) -> bool:
    """Whether a suite could not be loaded because another module could not be imported.

    A name that the module under test lacks, or a call that fails at the top of the test file, is the test's own
    failure.
    """
    if isinstance(error, _ElsewhereError):
        return True
    if isinstance(error, SyntaxError) and error.filename and error.filename != file:
        return True
    trace, inside = error.__traceback__, False
    while trace is not None:
        code = trace.tb_frame.f_code
        if inside and code.co_name == "<module>" and code.co_filename != file:
            return True
        inside = inside or code.co_filename == file
        trace = trace.tb_next
    return False


def _run_one(name: str, function: str, scope: dict[str, Any], before: Any, report: Callable[..., None]) -> None:
    """In the child: runs one test, reports, ends without any clean-up of candidate code."""
    try:
        _exec(before, {})
        result = scope[function]()
        checks: Any = result if _is_generator(result) else ()  # old test functions yield (function, arguments ...)
        for check, *arguments in checks:
            check(*arguments)
    except BaseException as error:
        report(test=name, result=_NO_JUDGEMENT.get(type(error).__name__, "fail"), detail=_explain(error))
    else:
        report(test=name, result="pass")
    _exit(0)


def _run_suite(suite: dict[str, Any], before: Any, seconds: float, report: Callable[..., None]) -> None:
    """In the child: loads the module of tests, then runs each in a child of its own."""
    try:
        scope = _load(suite)
    except BaseException as error:
        result = "broken" if _broke_elsewhere(error, suite["file"]) else "fail"
        for name, _ in suite["tests"]:
            report(test=name, result=result, detail=_explain(error))
        _exit(0)
    for name, function in suite["tests"]:
        pid = _fork()
        if pid == 0:
            _run_one(name, function, scope, before, report)
        status = _wait_for(pid, seconds)
        if status is None:
            report(test=name, result="timeout")
        elif status != 0:
            report(test=name, result="died", detail=f"wait status {status}")
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
    before = compile(request["before"], "before", "exec", dont_inherit=True)
    for suite in request["suites"]:
        suite["code"] = compile(suite["code"], suite["file"], "exec", dont_inherit=True)
    # With its .pth files (distutils for old releases), but without the site module's own start-up, which would run a
    # sitecustomize of the candidate. The workspace comes last, so it cannot stand in for the standard library.
    site.addsitedir(request["site"])
    left_out = (request["workspace"], os.path.dirname(os.path.abspath(__file__)))
    sys.path = [*(p for p in sys.path if p not in left_out), request["workspace"]]
    sys.modules["__main__"] = types.ModuleType("__main__")  # or candidate code could replace the functions of this one
    try:
        # A folder without an __init__.py imports, too: it is what a deleted package leaves round the hidden files.
        if getattr(_import(request["module"]), "__file__", None) is None:
            raise ImportError("the package has no __init__.py")
    except BaseException as error:
        report(stage="import", detail=_explain(error))
        _exit(0)
    for suite in request["suites"]:
        pid = _fork()
        if pid == 0:
            _run_suite(suite, before, request["seconds"], report)
        _wait(pid, 0)
    report(stage="end")
    _exit(0)


main()
