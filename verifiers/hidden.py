"""Judges a layer with a task's hidden tests, on a clean mount in a sandbox of its own."""

from __future__ import annotations

import json
import random
import secrets
import time
from collections.abc import Callable
from pathlib import Path

from harness.canonical import digest_bytes, digest_json
from harness.sandbox.factory import make_sandbox
from harness.sandbox.interface import WORKSPACE, Limits, Result, SandboxLost
from harness.sandbox.tools import Tools
from harness.workspace.base import Base
from harness.workspace.layer import Layer
from harness.workspace.workspace import CandidateMount
from tasks.package import TaskPackage
from verifiers.channel import Channel
from verifiers.report import Report, read_report
from verifiers.verdict import State, Verdict

_RUNNER = Path(__file__).with_name("runner.py")
_PLACE = "/run/verifier/runner.py"
_SITE = "/run/verifier/site"

#: Time for starting and importing the package, beside the tests' own limits (seconds).
IMPORT_SECONDS = 60.0


class HiddenTestVerifier:
    """The verifier of one task on this machine.

    Args:
        task: the package; its hidden tests are held in memory, as loaded and digested.
        base: the task's base; only the evaluator's copy is used.
    """

    def __init__(self, task: TaskPackage, base: Base, tools: Tools, sandbox: str):
        assert tools.site is not None
        self._task, self._base, self._site = task, base, tools.site
        self._sandbox = make_sandbox(sandbox, tools, {"PYTHONHASHSEED": "0"})
        self._runner = _RUNNER.read_bytes()
        self.digest = digest_json(
            {
                "task": task.verdict_digest,
                "runner": digest_bytes(self._runner),
                "base": base.digest,
                "python": tools.version,
            }
        )

    def verify(self, layer: Layer, content: Callable[[str], bytes]) -> Verdict:
        """Judges ``layer``; ``content`` gives its files by SHA-256."""
        started = time.monotonic()
        names = [test.name for test in self._task.spec.tests]
        canary = f"test_{secrets.token_hex(6)}"
        order = [*names, canary]
        random.SystemRandom().shuffle(order)
        try:
            result, report = self._evaluate(layer, content, order, canary)
        except SandboxLost as lost:
            return Verdict("infra_error", layer.verdict_key, detail=str(lost), seconds=time.monotonic() - started)
        state, detail = _state(report, names, canary, result)
        tests = {name: report.results.get(name, "no result") for name in names}
        return Verdict(state, layer.verdict_key, tests, self._obligations(tests), time.monotonic() - started, detail)

    def _obligations(self, tests: dict[str, str]) -> dict[str, bool | None]:
        judged: dict[str, bool | None] = dict.fromkeys(self._task.spec.obligations, True)
        for test in self._task.spec.tests:
            result = tests[test.name]
            if result == "no result":
                judged[test.obligation] = None
            elif result != "pass" and judged[test.obligation] is not None:
                judged[test.obligation] = False
        return judged

    def _evaluate(
        self, layer: Layer, content: Callable[[str], bytes], order: list[str], canary: str
    ) -> tuple[Result, Report]:
        seconds = self._task.spec.test_seconds
        # A test that must fail: a report in which it passes was not made by running tests.
        code = self._task.hidden.decode() + f"\n\ndef {canary}():\n    assert [] == [0]\n"
        key = secrets.token_bytes(32)
        request = {
            "key": key.hex(), "module": self._task.spec.source.package, "site": _SITE, "workspace": WORKSPACE,
            "code": code, "tests": order, "seconds": seconds,
        }  # fmt: skip
        limits = Limits(seconds=IMPORT_SECONDS + 2 * seconds)
        command = f"python3 -P -s -S -B -W ignore {_PLACE}"
        with (
            CandidateMount(self._base, layer.candidate.manifest, content) as mounts,
            Channel(descriptors=self._sandbox.kind == "bubblewrap") as channel,
        ):
            mounts.read_only.update({_PLACE: _RUNNER, _SITE: self._site})
            channel.show(mounts)
            self._sandbox.start(mounts, limits)
            try:
                result, said = channel.exchange(
                    json.dumps(request).encode(), command, lambda text, ends: self._sandbox.run(text, pass_fds=ends)
                )
            finally:
                self._sandbox.stop()
        return result, read_report(said, key)


def _state(report: Report, names: list[str], canary: str, result: Result) -> tuple[State, str]:
    """The verdict state, and why."""
    if not report.alive:
        return "infra_error", f"the test runner did not start (exit {result.returncode}): {_tail(result)}"
    if report.import_error is not None:
        return "broken_import", report.import_error
    if report.forged:
        return "no_result", "the report carries lines that the test runner did not sign"
    if result.limit:
        return "fail", f"stopped at the limit on {result.limit}"
    missing = [name for name in (*names, canary) if name not in report.results]
    if missing or not report.ended:
        return "no_result", f"no result for {', '.join(missing) or 'the end'} (exit {result.returncode})"
    if report.results[canary] == "pass":
        return "no_result", "a test that must fail was reported as passed"
    failed = [name for name in names if report.results[name] != "pass"]
    return ("fail", f"failed: {', '.join(failed)}") if failed else ("pass", "")


def _tail(result: Result) -> str:
    return result.output.decode(errors="replace").strip()[-300:]
