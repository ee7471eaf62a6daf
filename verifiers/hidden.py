"""Judges a layer with a task's hidden tests, on a clean mount in a sandbox of its own."""

from __future__ import annotations

import time
from collections.abc import Callable

from harness.canonical import digest_json
from harness.sandbox.factory import make_sandbox
from harness.sandbox.interface import Result, SandboxLost
from harness.sandbox.tools import Tools
from harness.workspace.base import Base
from harness.workspace.layer import Layer
from harness.workspace.workspace import CandidateMount
from tasks.package import TaskPackage
from verifiers.evaluation import Suite, canary, canary_code, run_tests, runner_digest, state_of
from verifiers.report import Report
from verifiers.verdict import Verdict


class HiddenTestVerifier:
    """The verifier of one task on this machine.

    Args:
        task: the package; its hidden tests are held in memory, as loaded and digested.
        base: the task's base; only the evaluator's copy is used.
    """

    def __init__(self, task: TaskPackage, base: Base, tools: Tools, sandbox: str):
        self._task, self._base, self._tools = task, base, tools
        self._sandbox = make_sandbox(sandbox, tools, {"PYTHONHASHSEED": "0"})
        self._runner = runner_digest()
        self.digest = digest_json(
            {"task": task.verdict_digest, "runner": self._runner, "base": base.digest, "python": tools.version}
        )

    def verify(self, layer: Layer, content: Callable[[str], bytes]) -> Verdict:
        """Judges ``layer``; ``content`` gives its files by SHA-256."""
        started = time.monotonic()
        names = [test.name for test in self._task.spec.tests]
        must_fail = canary()
        if runner_digest() != self._runner:  # it is mounted from the checkout, where somebody may be editing
            return Verdict("infra_error", layer.verdict_key, detail="the test runner changed on disk since the start")
        try:
            result, report = self._evaluate(layer, content, names, must_fail)
        except SandboxLost as lost:
            return Verdict("infra_error", layer.verdict_key, detail=str(lost), seconds=time.monotonic() - started)
        state, detail = state_of(report, names, must_fail, result)
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
        self, layer: Layer, content: Callable[[str], bytes], names: list[str], must_fail: str
    ) -> tuple[Result, Report]:
        seconds = self._task.spec.test_seconds
        code = self._task.hidden.decode() + canary_code(must_fail)
        suite = Suite("hidden", "hidden", code, tuple((name, name) for name in (*names, must_fail)))
        with CandidateMount(self._base, layer.candidate.manifest, content) as mounts:
            return run_tests(
                self._sandbox, mounts, self._tools, self._task.spec.source.package, [suite],
                seconds=seconds, limit=2 * seconds,
            )  # fmt: skip
