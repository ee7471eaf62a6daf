"""Judges a layer as the benchmark does: its script in the instance's image, its log graded by the swebench package."""

from __future__ import annotations

import io
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from harness.canonical import digest_json
from harness.errors import RestartlabError
from harness.paths import state_dir
from harness.sandbox.docker.sandbox import DockerSandbox
from harness.sandbox.interface import WORKSPACE, Limits, Mounts, Result, SandboxLost
from harness.sandbox.tools import Tools
from harness.workspace.base import Base
from harness.workspace.layer import Layer
from harness.workspace.patch import export_patch
from tasks.swebench.evaluation import evaluation_record
from tasks.swebench.instance import Instance
from tasks.swebench.package import swebench, swebench_release
from verifiers.verdict import State, Verdict

#: The benchmark's own limit for a test run, seconds.
SECONDS = 1800.0
_LIMITS = Limits(seconds=SECONDS, processes=1024, disk_bytes=8 << 30, output_bytes=64 << 20)
_PATCH, _SCRIPT = "/run/verifier/model.patch", "/run/verifier/eval.sh"
#: Raise when a verdict comes about in another way, so that kept ones are not used.
_RECIPE = 1


class SwebenchGrader:
    """A verifier that believes the log of whole test files.

    The candidate's code writes that log: it can forge it, so this is what the benchmark would say and no more. Nothing
    but the candidate's patch reaches the container, which shows the image's own tree and goes away with the verdict.
    """

    def __init__(self, instance: Instance, base: Base, tools: Tools):
        assert tools.image is not None
        self._instance, self._base, self._tools = instance, base, tools
        record = evaluation_record(instance, tools.image)
        self._spec = swebench("harness.utils").make_test_spec(record)
        self._apply = tuple(swebench("harness.run_evaluation").GIT_APPLY_CMDS)
        self.name = swebench_release()
        self.digest = digest_json({
            "grader": self.name, "record": record, "image": tools.image_digest, "base": base.digest, "recipe": _RECIPE,
        })  # fmt: skip

    def verify(self, layer: Layer, content: Callable[[str], bytes]) -> Verdict:
        """Grades ``layer``; ``content`` gives its files by SHA-256."""
        started = time.monotonic()
        state: State = "infra_error"
        tests: dict[str, str] = {}
        try:
            report = self._report(self._patch(layer, content))
            state, tests, detail = _judged(report)
        except (SandboxLost, RestartlabError) as lost:
            detail = str(lost)
        obligations = {name: tests[name] == "pass" if name in tests else None for name in self._spec.FAIL_TO_PASS}
        return Verdict(state, layer.verdict_key, tests, obligations, time.monotonic() - started, detail)

    def _patch(self, layer: Layer, content: Callable[[str], bytes]) -> bytes:
        out = io.BytesIO()
        export_patch(layer.candidate, self._base, content, DockerSandbox(self._tools), out)
        return out.getvalue()

    def _report(self, patch: bytes) -> dict[str, Any]:
        """The package's report on the candidate with that patch."""
        constants = swebench("harness.constants")
        state_dir().mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory(prefix="tmp-grading-", dir=state_dir()) as folder:
            place = Path(folder)
            place.chmod(0o755)
            (place / "model.patch").write_bytes(patch)
            (place / "eval.sh").write_text(self._spec.eval_script)
            mounts = Mounts((), read_only={_PATCH: place / "model.patch", _SCRIPT: place / "eval.sh"})
            sandbox = DockerSandbox(self._tools, own_tree=True)
            sandbox.start(mounts, _LIMITS)
            try:
                applied = sandbox.run(self._applying()) if patch else None
                if applied is not None and applied.returncode:
                    log = f"{constants.APPLY_PATCH_FAIL}:\n{applied.output.decode(errors='replace')}"
                else:
                    log = _log(sandbox.run(f"/bin/bash {_SCRIPT}"), constants.TESTS_TIMEOUT)
            finally:
                sandbox.stop()
            (place / "test_output.txt").write_text(log)
            prediction = {"instance_id": self._spec.instance_id, "model_patch": patch.decode(errors="replace")}
            made = swebench("harness.grading").get_eval_report(
                self._spec, prediction, str(place / "test_output.txt"), include_tests_status=True
            )
        report: dict[str, Any] = made[self._spec.instance_id]
        return report | {"said": log[-300:]}

    def _applying(self) -> str:
        """Tries the package's commands in turn, each on a clean tree."""
        again = "git checkout -q -- . ; git clean -fdq"
        tries = f"\n{again}\n".join(f"{command} {_PATCH} && exit 0" for command in self._apply)
        return f"cd {WORKSPACE}\ngit config --global --add safe.directory {WORKSPACE}\n{tries}\nexit 1"


def _log(result: Result, timed_out: str) -> str:
    """The log of the script; one that was stopped or cut says so in the package's words, and is no pass."""
    log = result.output.decode(errors="replace")
    if result.limit or result.truncated_bytes:
        log += f"\n\n{timed_out}: stopped at the limit on {result.limit or 'output'}"
    return log


def _judged(report: dict[str, Any]) -> tuple[State, dict[str, str], str]:
    """State, result of each test, and why."""
    if not report["patch_successfully_applied"]:
        return "no_result", {}, f"no test log: {report.get('infra_failure_reason') or report['said']}"
    status = report["tests_status"]
    tests = {
        name: result
        for group in ("FAIL_TO_PASS", "PASS_TO_PASS")
        for key, result in (("success", "pass"), ("failure", "fail"))
        for name in status[group][key]
    }
    failed = [name for name, result in tests.items() if result != "pass"]
    return ("pass", tests, "") if report["resolved"] else ("fail", tests, f"failed: {', '.join(failed)[:300]}")
