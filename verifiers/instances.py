"""The verifier kind of SWE-bench instances: sets them up from a git mirror or from their images, and gates them."""

from __future__ import annotations

import time

from harness.errors import InputError
from harness.paths import repos_dir
from harness.sandbox.tools import Tools
from harness.workspace.base import Base, tree_digest
from harness.workspace.layer import Layer
from tasks.interface import Task
from tasks.swebench.bases import base_for_instance, known_base_digest, python_for, site_for_instance
from tasks.swebench.hidden import hidden_files
from tasks.swebench.repositories import REPOSITORIES
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
        """Builds base and packages, or fetches the image and copies its repository, as far as they are not here."""
        assert isinstance(task, SwebenchTask)
        if _in_docker(task, sandbox):
            return _place_in_docker(task)
        python = python_for(task.instance)
        base = base_for_instance(task.instance, repos_dir(), python)
        tools = Tools(python, site_for_instance(task.instance, python))
        return Place(task, base, tools, sandbox, SwebenchVerifier(task, base, tools, sandbox))

    def known(self, task: Task, sandbox: str) -> tuple[str, str] | None:
        """(Python's full version, or image with digest; base digest) if the base is in the cache."""
        assert isinstance(task, SwebenchTask)
        if _in_docker(task, sandbox):
            return _known_in_docker(task)
        base = known_base_digest(task.instance)
        return None if base is None else (python_for(task.instance).full_version, base)

    def qualify(self, task: Task, sandbox: str) -> GateResult:
        """Base, no-op, reference, reset."""
        assert isinstance(task, SwebenchTask)
        return qualify_instance(task, self.prepare(task, sandbox))


def _in_docker(task: SwebenchTask, sandbox: str) -> bool:
    if sandbox not in ("bubblewrap", "docker"):
        raise InputError(
            f"{task.id}: instances run from a mirror in bubblewrap, or in their images in docker, not in {sandbox!r}",
            key="sandbox.kind", mend="set sandbox.kind: bubblewrap or docker",
        )  # fmt: skip
    return sandbox == "docker"


def _place_in_docker(task: SwebenchTask) -> Place:
    """The instance in its image.

    Where the named tests are functions that the test runner can call, it judges, and the benchmark's grading is the
    second verdict; else that grading is the only one.
    """
    from tasks.swebench.image_base import base_of_image, compile_base, tools_of_image
    from tasks.swebench.images import require_instance_image
    from verifiers.swebench_grader import SwebenchGrader

    name, digest = require_instance_image(task.instance)
    base = base_of_image(digest)
    tools = tools_of_image(name, digest, base)
    grader = SwebenchGrader(task.instance, base, tools)
    if not _callable(task, base, tools):
        return Place(task, base, tools, "docker", grader)
    compile_base(base, tools)
    return Place(task, base, tools, "docker", SwebenchVerifier(task, base, tools, "docker"), second=grader)


def _known_in_docker(task: SwebenchTask) -> tuple[str, str] | None:
    from tasks.swebench.image_base import known_base_of_image, known_tools_of_image
    from tasks.swebench.images import find_instance_image

    found = find_instance_image(task.instance)
    if found is None:
        return None
    tools, base = known_tools_of_image(*found), known_base_of_image(found[1])
    return None if tools is None or base is None else (tools.version, base)


def _callable(task: SwebenchTask, base: Base, tools: Tools) -> bool:
    """Whether the test runner can call all named tests with the image's Python."""
    if tools.inside is None or task.instance.repo not in REPOSITORIES:
        return False
    return hidden_files(task.instance, base.tree).finds_all


def qualify_instance(task: SwebenchTask, place: Place) -> GateResult:
    """Every FAIL_TO_PASS test fails at the base, and all tests pass with the reference, every time.

    Where there is another grader, it judges base and reference, too; that it says otherwise is recorded, and told.

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
    if place.second:
        _compare(result, bench, {"base": (empty, base.passed), "reference": (reference, result.reference)})
    result.seconds = time.monotonic() - began
    return result


def _compare(result: GateResult, bench: Bench, cases: dict[str, tuple[Layer, bool]]) -> None:
    """Notes what the other grader says of ``cases``: layer, and whether the verifier passes it."""
    second = bench.place.second
    assert second is not None
    states, agrees = {}, True
    for label, (layer, passed) in cases.items():
        verdict = bench.judge(result, f"{label} ({second.name})", layer, second)
        states[label] = verdict.state
        agrees = agrees and verdict.passed == passed
    result.second = {"by": second.name, "agrees": agrees, "states": states}
    if not agrees:
        result.remark += f"; {second.name} says otherwise: {', '.join(f'{k} {v}' for k, v in states.items())}"
