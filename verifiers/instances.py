"""The verifier kind of SWE-bench instances: sets them up from a git mirror, and gates them."""

from __future__ import annotations

import time

from harness.errors import InputError
from harness.paths import repos_dir
from harness.sandbox.tools import Tools
from harness.workspace.base import tree_digest
from tasks.interface import Task
from tasks.swebench.bases import base_for_instance, known_base_digest, python_for, site_for_instance
from tasks.swebench.task import SwebenchTask
from verifiers.gate import REFERENCE_REPEATS, Bench
from verifiers.gate_result import GateResult
from verifiers.place import Place
from verifiers.swebench import SwebenchVerifier

#: What stands in the record of every instance.
REMARK = "the dataset has no wrong repairs and no other right ones: nothing is known of what else the tests accept"


class Instances:
    """Sets up and qualifies instances (a ``VerifierKind``)."""

    def prepare(self, task: Task, sandbox: str) -> Place:
        """Builds base and packages as far as this machine lacks them."""
        assert isinstance(task, SwebenchTask)
        _require_bubblewrap(task, sandbox)
        python = python_for(task.instance)
        base = base_for_instance(task.instance, repos_dir(), python)
        tools = Tools(python, site_for_instance(task.instance, python))
        return Place(task, base, tools, sandbox, SwebenchVerifier(task, base, tools, sandbox))

    def known(self, task: Task, sandbox: str) -> tuple[str, str] | None:
        """(Python's full version, base digest) if the base is in the cache."""
        assert isinstance(task, SwebenchTask)
        _require_bubblewrap(task, sandbox)
        base = known_base_digest(task.instance)
        return None if base is None else (python_for(task.instance).full_version, base)

    def qualify(self, task: Task, sandbox: str) -> GateResult:
        """Base, no-op, reference, reset."""
        assert isinstance(task, SwebenchTask)
        return qualify_instance(task, self.prepare(task, sandbox))


def _require_bubblewrap(task: SwebenchTask, sandbox: str) -> None:
    if sandbox != "bubblewrap":
        raise InputError(
            f"{task.id}: instances run from a git mirror in bubblewrap only, not in {sandbox!r}", key="sandbox.kind",
            mend="set sandbox.kind: bubblewrap",
        )  # fmt: skip


def qualify_instance(task: SwebenchTask, place: Place) -> GateResult:
    """Every FAIL_TO_PASS test fails at the base, and all tests pass with the reference, every time.

    Raises:
        InfrastructureError: the checks could not be run.
    """
    began = time.monotonic()
    bench = Bench(task, place)
    empty = bench.layer()
    result = GateResult(
        task=task.id, task_digest=task.digest, family=task.family, python=place.tools.version,
        base_digest=place.base.digest, sandbox=place.sandbox_kind, base=False, nop=False, reference=False,
        flake_rate=1.0, reset=not empty.manifest and tree_digest(place.base.tree) == place.base.digest, remark=REMARK,
    )  # fmt: skip
    base = bench.judge(result, "base", empty)
    named = task.instance.FAIL_TO_PASS
    result.base = base.state == "fail" and not any(base.obligations[name] for name in named)
    nop = bench.layer("git status --short; git log --oneline; git diff; ls")
    result.nop = not bench.judge(result, "nop", nop).passed
    reference = bench.layer(patch=task.reference)
    passes = [bench.judge(result, f"reference {n + 1}", reference).passed for n in range(REFERENCE_REPEATS)]
    result.reference, result.flake_rate = all(passes), 1 - sum(passes) / len(passes)
    result.seconds = time.monotonic() - began
    return result
