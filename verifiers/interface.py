"""What every kind of verifier offers."""

from __future__ import annotations

from collections.abc import Callable
from typing import Protocol

from harness.workspace.layer import Layer
from tasks.interface import Task
from verifiers.gate_result import GateResult
from verifiers.place import Place
from verifiers.verdict import Verdict


class Verifier(Protocol):
    """Judges workspace layers of one task on this machine, from outside."""

    @property
    def digest(self) -> str:
        """SHA-256 over all that a verdict depends on, beside the layer."""

    def verify(self, layer: Layer, content: Callable[[str], bytes]) -> Verdict:
        """Judges ``layer``; ``content`` gives its files by SHA-256. Never raises for what the candidate did."""


class NamedVerifier(Verifier, Protocol):
    """A verifier that people know by a name."""

    name: str
    """What it is, with its release."""


class VerifierKind(Protocol):
    """How tasks of one kind are set up and qualified; entry points of ``restartlab.verifiers`` are such objects."""

    def prepare(self, task: Task, sandbox: str) -> Place:
        """Sets ``task`` up on this machine for a sandbox kind; fetches and builds what is missing."""

    def known(self, task: Task, sandbox: str) -> tuple[str, str] | None:
        """(version of the tools, base digest) if the task is set up here, else None; fetches and builds nothing."""

    def qualify(self, task: Task, sandbox: str) -> GateResult:
        """Runs the gate; raises ``InfrastructureError`` when it could not be run."""
