"""One run of hidden tests in the evaluator's sandbox, and the verdict state that its report stands for."""

from __future__ import annotations

import json
import random
import secrets
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

from harness.canonical import digest_bytes
from harness.sandbox.interface import WORKSPACE, Limits, Mounts, Result, Sandbox
from harness.sandbox.tools import Tools
from verifiers.channel import Channel
from verifiers.report import Report, read_report
from verifiers.verdict import State

_RUNNER = Path(__file__).with_name("runner.py")
_PLACE = "/run/verifier/runner.py"
_SITE = "/run/verifier/site"

#: Time for starting and importing the package, beside the tests' own limits (seconds).
IMPORT_SECONDS = 60.0


@dataclass(frozen=True)
class Suite:
    """A module of tests."""

    module: str
    """Its name; the package before the last dot is imported first."""
    file: str
    """Its file inside, for messages."""
    code: str
    tests: tuple[tuple[str, str], ...]
    """(name in the report, function)."""


def runner_digest() -> str:
    """Digest of what runs the tests."""
    return digest_bytes(_RUNNER.read_bytes())


def canary() -> str:
    """Name for a test that must fail: a report in which it passes was not made by running tests."""
    return f"test_{secrets.token_hex(6)}"


def canary_code(name: str) -> str:
    """Its code, to be put at the end of a module."""
    return f"\n\ndef {name}():\n    assert [] == [0]\n"


def run_tests(
    sandbox: Sandbox, mounts: Mounts, tools: Tools, module: str, suites: Sequence[Suite], *, seconds: float,
    limit: float, before: str = "", warnings: str = "ignore",
) -> tuple[Result, Report]:  # fmt: skip
    """Runs ``suites`` on what ``mounts`` show, in an order that nobody can foresee.

    Args:
        sandbox: not started.
        module: imported first.
        seconds: limit of one test.
        limit: limit of all tests together, beside the import, seconds.
        before: code that runs before each test.
        warnings: what Python's ``-W`` is given.

    Raises:
        SandboxLost: the sandbox failed, not the tests.
    """
    chance = random.SystemRandom()
    shuffled = []
    for suite in chance.sample(suites, len(suites)):
        shuffled.append(asdict(suite) | {"tests": chance.sample(suite.tests, len(suite.tests))})
    key = secrets.token_bytes(32)
    python, version, site = _python_of(tools)
    request = {
        "key": key.hex(), "module": module, "site": site, "workspace": WORKSPACE, "before": before,
        "suites": shuffled, "seconds": seconds,
    }  # fmt: skip
    safe_path = "-P " if int(version.split(".")[1]) >= 11 else ""
    command = f"{python} {safe_path}-s -S -B -W {warnings} {_PLACE}"
    with Channel(descriptors=sandbox.kind == "bubblewrap") as channel:
        mounts.read_only.update({_PLACE: _RUNNER} | ({_SITE: tools.site} if tools.site else {}))
        channel.show(mounts)
        sandbox.start(mounts, Limits(seconds=IMPORT_SECONDS + limit))
        try:
            result, said = channel.exchange(
                json.dumps(request).encode(), command, lambda text, ends: sandbox.run(text, pass_fds=ends)
            )
        finally:
            sandbox.stop()
    return result, read_report(said, key)


def _python_of(tools: Tools) -> tuple[str, str, str]:
    """What starts Python inside, its version, and where its packages are inside."""
    if tools.inside:
        return tools.inside.executable, tools.inside.full_version, tools.inside.packages
    assert tools.python is not None and tools.site is not None
    return "python3", tools.python.version, _SITE


def state_of(report: Report, names: Sequence[str], canary: str, result: Result) -> tuple[State, str]:
    """The verdict state, and why."""
    if not report.alive:
        said = result.output.decode(errors="replace").strip()[-300:]
        return "infra_error", f"the test runner did not start (exit {result.returncode}): {said}"
    if report.import_error is not None:
        return "broken_import", report.import_error
    if report.forged:
        return "no_result", "the report carries lines that the test runner did not sign"
    if result.limit:
        return "fail", f"stopped at the limit on {result.limit}"
    broken = [report.results[name] for name in names if report.results.get(name, "").startswith("broken")]
    if broken:
        return "broken_import", broken[0].partition(": ")[2]
    missing = [name for name in (*names, canary) if name not in report.results]
    if missing or not report.ended:
        return "no_result", f"no result for {', '.join(missing) or 'the end'} (exit {result.returncode})"
    if report.results[canary] == "pass":
        return "no_result", "a test that must fail was reported as passed"
    failed = [name for name in names if report.results[name] != "pass"]
    return ("fail", f"failed: {', '.join(failed)}") if failed else ("pass", "")
