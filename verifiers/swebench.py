"""Judges a layer with the named tests of a SWE-bench instance, without its container."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Mapping, Sequence

from harness.canonical import digest_json
from harness.sandbox.factory import make_sandbox
from harness.sandbox.interface import WORKSPACE, SandboxLost
from harness.sandbox.tools import Tools
from harness.workspace.base import Base
from harness.workspace.layer import Layer
from harness.workspace.workspace import CandidateMount
from tasks.swebench.hidden import NamedTest, hidden_files
from tasks.swebench.repositories import repository_of
from tasks.swebench.task import GUARD_SECONDS, TEST_SECONDS, SwebenchTask
from verifiers.evaluation import Suite, canary, canary_code, run_tests, runner_digest, state_of
from verifiers.overlay import with_files
from verifiers.verdict import Verdict

#: What the benchmark's own command for SymPy ignores, and no more: a warning can be what a test looks for.
_WARNINGS = "ignore::UserWarning -W ignore::SyntaxWarning"
#: Raise when a verdict comes about in another way, so that kept ones are not used.
_RECIPE = 1


class SwebenchVerifier:
    """The verifier of one instance on this machine.

    FAIL_TO_PASS is run on every new state. PASS_TO_PASS, where the dataset has it, is run when all of those passed: it
    cannot change another verdict, and may take a hundred times as long.
    """

    def __init__(self, task: SwebenchTask, base: Base, tools: Tools, sandbox: str):
        self._base, self._tools = base, tools
        self._repository = repository_of(task.instance)
        self._hidden = hidden_files(task.instance, base.tree)
        self._sandbox = make_sandbox(sandbox, tools, {"PYTHONHASHSEED": "0"})
        self.failing, self.guards = self._hidden.failing, self._hidden.guards
        self._runner = runner_digest()
        self.digest = digest_json({
            "task": task.verdict_digest, "runner": self._runner, "base": base.digest, "python": tools.version,
            "recipe": _RECIPE,
        })  # fmt: skip

    @property
    def hidden_sources(self) -> list[bytes]:
        """Contents of the hidden test files."""
        return [content for content in self._hidden.files.values() if content is not None]

    def verify(self, layer: Layer, content: Callable[[str], bytes]) -> Verdict:
        """Judges ``layer``; ``content`` gives its files by SHA-256."""
        started = time.monotonic()
        if runner_digest() != self._runner:  # it is mounted from the checkout, where somebody may be editing
            return Verdict("infra_error", layer.verdict_key, detail="the test runner changed on disk since the start")
        try:
            verdict = self._judge(layer, content, self.failing, 2 * TEST_SECONDS)
            if verdict.passed and self.guards:
                guarded = self._judge(layer, content, self.guards, GUARD_SECONDS)
                verdict = Verdict(
                    guarded.state, layer.verdict_key, verdict.tests | guarded.tests,
                    verdict.obligations | guarded.obligations, detail=guarded.detail,
                )  # fmt: skip
        except SandboxLost as lost:
            verdict = Verdict("infra_error", layer.verdict_key, detail=str(lost))
        return Verdict(
            verdict.state, layer.verdict_key, verdict.tests, verdict.obligations, time.monotonic() - started,
            verdict.detail,
        )  # fmt: skip

    def _judge(
        self, layer: Layer, content: Callable[[str], bytes], named: Mapping[str, Sequence[NamedTest]], limit: float
    ) -> Verdict:
        must_fail = canary()
        ids = list(dict.fromkeys(test.id for tests in named.values() for test in tests))
        manifest, hidden = with_files(layer.candidate.manifest, self._base.manifest, self._hidden.files)

        def contents(digest: str) -> bytes:
            return hidden[digest] if digest in hidden else content(digest)

        with CandidateMount(self._base, manifest, contents) as mounts:
            result, report = run_tests(
                self._sandbox, mounts, self._tools, self._repository.module, self._suites(named, must_fail),
                seconds=TEST_SECONDS, limit=limit, before=self._repository.before, warnings=_WARNINGS,
            )  # fmt: skip
        state, detail = state_of(report, ids, must_fail, result)
        results = {test: report.results.get(test, "no result") for test in ids}
        obligations = {name: _all(results[test.id] for test in tests) for name, tests in named.items()}
        return Verdict(state, layer.verdict_key, results, obligations, detail=detail)

    def _suites(self, named: Mapping[str, Sequence[NamedTest]], must_fail: str) -> list[Suite]:
        """A suite for each file; one of them holds the test that must fail."""
        by_file: dict[str, dict[str, str]] = {}
        for tests in named.values():
            for test in tests:
                by_file.setdefault(test.file, {})[test.id] = test.function
        suites = []
        for number, (file, functions) in enumerate(by_file.items()):
            code = (self._hidden.files[file] or b"").decode()
            if number == 0:
                code, functions = code + canary_code(must_fail), functions | {must_fail: must_fail}
            module = file.removesuffix(".py").replace("/", ".")
            suites.append(Suite(module, f"{WORKSPACE}/{file}", code, tuple(functions.items())))
        return suites


def _all(results: Iterable[str]) -> bool | None:
    """Whether all passed; None when one has no result."""
    said = list(results)
    return None if "no result" in said else all(result == "pass" for result in said)
