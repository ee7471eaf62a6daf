"""The verifier kind of task packages: hidden tests on a released source distribution."""

from __future__ import annotations

from harness.sandbox.interpreter import choose
from harness.sandbox.tools import Tools
from tasks.interface import Task
from tasks.package import TaskPackage
from tasks.sdist import base_for, known_base_digest, site_for
from verifiers.gate import qualify as qualify_package
from verifiers.gate_result import GateResult
from verifiers.hidden import HiddenTestVerifier
from verifiers.place import Place


class HiddenTests:
    """Sets up and qualifies task packages (a ``VerifierKind``)."""

    def prepare(self, task: Task, sandbox: str) -> Place:
        """Fetches and builds interpreter, base and packages as far as this machine lacks them."""
        assert isinstance(task, TaskPackage)
        python = choose(task.spec.pythons)
        base, tools = base_for(task, python), Tools(python, site_for(task))
        return Place(task, base, tools, sandbox, HiddenTestVerifier(task, base, tools, sandbox))

    def known(self, task: Task, sandbox: str) -> tuple[str, str] | None:
        """(Python's full version, base digest) if the base is in the cache."""
        assert isinstance(task, TaskPackage)
        base = known_base_digest(task)
        return None if base is None else (choose(task.spec.pythons).full_version, base)

    def qualify(self, task: Task, sandbox: str) -> GateResult:
        """Base, no-op, reference, mutations, alternatives, reset."""
        assert isinstance(task, TaskPackage)
        return qualify_package(task, self.prepare(task, sandbox))
