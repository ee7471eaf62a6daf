"""The verifier kind of recovery tasks."""

from __future__ import annotations

from pathlib import Path

from harness.paths import cache_dir
from harness.sandbox.interpreter import choose
from harness.sandbox.tools import Tools
from tasks.interface import Task
from tasks.recovery.base import base_of, known_base
from tasks.recovery.task import RecoveryTask
from verifiers.gate_result import GateResult
from verifiers.place import Place
from verifiers.recovery.verifier import RecoveryVerifier

#: Pythons that the services and checks run on.
PYTHONS = ("3.11", "3.12", "3.13")


def _no_packages() -> Path:
    folder = cache_dir() / "sites" / "none"
    folder.mkdir(mode=0o755, parents=True, exist_ok=True)
    return folder


class Recovery:
    """Sets up and qualifies recovery tasks (a ``VerifierKind``)."""

    def prepare(self, task: Task, sandbox: str) -> Place:
        """Builds the base as far as this machine lacks it; fetches nothing."""
        assert isinstance(task, RecoveryTask)
        base, tools = base_of(task), Tools(choose(PYTHONS), _no_packages())
        boot = tuple(service.start for service in task.contract.services)
        return Place(task, base, tools, sandbox, RecoveryVerifier(task, base, tools, sandbox), boot)

    def known(self, task: Task, sandbox: str) -> tuple[str, str] | None:
        """(Python's full version, base digest) if the base is in the cache."""
        assert isinstance(task, RecoveryTask)
        base = known_base(task)
        return None if base is None else (choose(PYTHONS).full_version, base)

    def qualify(self, task: Task, sandbox: str) -> GateResult:
        """Oracle, no-op, mutations, alternatives, reset, order, leakage."""
        from verifiers.recovery.gate import qualify_recovery

        assert isinstance(task, RecoveryTask)
        return qualify_recovery(task, self.prepare(task, sandbox))
