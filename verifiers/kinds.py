"""Finds the verifier kind of a task, and does with it what the harness asks for."""

from __future__ import annotations

from harness import plugins
from tasks.interface import Task
from tasks.registry import load_task
from verifiers.gate_result import GateResult
from verifiers.instances import Instances
from verifiers.interface import VerifierKind
from verifiers.packages import HiddenTests
from verifiers.place import Place
from verifiers.planning import Planning
from verifiers.recovery.kind import Recovery

#: Kinds that come with the project.
_BUILT_IN: dict[str, type[VerifierKind]] = {
    "hidden-tests": HiddenTests, "swebench": Instances, "planning": Planning, "recovery": Recovery,
}  # fmt: skip


def verifier_kind(name: str) -> VerifierKind:
    """The kind of that name, built in or an entry point of ``restartlab.verifiers``; raises ``InputError``."""
    if name in _BUILT_IN:
        return _BUILT_IN[name]()
    found: VerifierKind = plugins.load("verifiers", name)
    return found


def prepare_place(task: Task, sandbox: str = "bubblewrap") -> Place:
    """Sets ``task`` up on this machine; fetches and builds what it does not have."""
    return verifier_kind(task.kind).prepare(task, sandbox)


def known_place(task: Task, sandbox: str) -> tuple[str, str] | None:
    """(version of the tools, base digest) if ``task`` is set up on this machine, else None."""
    return verifier_kind(task.kind).known(task, sandbox)


def gate_task(task_id: str, sandbox: str) -> GateResult:
    """Qualifies a task for a sandbox kind; raises ``InfrastructureError`` when its gate could not be run."""
    task = load_task(task_id)
    return verifier_kind(task.kind).qualify(task, sandbox)
