"""What a task needs on this machine: interpreter, base, packages, verifier."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from harness.paths import state_dir
from harness.sandbox.interpreter import Interpreter, choose
from harness.workspace.base import Base
from tasks.package import TaskPackage
from tasks.sdist import base_for, site_for
from verifiers.cache import CachedVerifier
from verifiers.hidden import HiddenTestVerifier


@dataclass(frozen=True)
class Place:
    """A task set up on this machine."""

    task: TaskPackage
    python: Interpreter
    base: Base
    site: Path
    verifier: HiddenTestVerifier

    @property
    def cached_verifier(self) -> CachedVerifier:
        """The verifier, with the verdicts kept in the state directory."""
        return CachedVerifier(self.verifier, state_dir() / "verdicts")


def prepare_place(task: TaskPackage) -> Place:
    """Interpreter, base, packages and verifier of ``task``; fetches and builds what this machine does not have."""
    python = choose(task.spec.pythons)
    base, site = base_for(task, python), site_for(task)
    return Place(task, python, base, site, HiddenTestVerifier(task, base, python, site))
