"""What a task needs on this machine: base, tools, a kind of sandbox, verifier."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

from harness.paths import state_dir
from harness.sandbox.factory import make_sandbox
from harness.sandbox.interface import Sandbox
from harness.sandbox.tools import Tools
from harness.workspace.base import Base
from tasks.interface import Task
from verifiers.cache import CachedVerifier
from verifiers.watching import AttemptJudge, StateByState

if TYPE_CHECKING:
    from verifiers.interface import NamedVerifier, Verifier


@dataclass(frozen=True)
class Place:
    """A task set up on this machine."""

    task: Task
    base: Base
    tools: Tools
    sandbox_kind: str
    verifier: Verifier
    boot: tuple[str, ...] = ()
    """Commands that start the task's services. Where there are some, the agent's sandbox lives as long as the
    attempt."""

    second: NamedVerifier | None = None
    """Another grader, whose verdict on an attempt's last state is recorded beside the verifier's."""

    @property
    def cached_second(self) -> CachedVerifier | None:
        """The other grader, with its verdicts kept as those of the verifier."""
        return CachedVerifier(self.second, state_dir() / "verdicts") if self.second else None

    @property
    def attempt_judge(self) -> AttemptJudge:
        """What judges one attempt."""
        watch = getattr(self.verifier, "watch", None)
        if watch is None:
            return StateByState(self.cached_verifier)
        judge: AttemptJudge = watch(state_dir() / "verdicts")
        return judge

    @property
    def cached_verifier(self) -> CachedVerifier:
        """The verifier, with the verdicts kept in the state directory."""
        return CachedVerifier(self.verifier, state_dir() / "verdicts")

    def make_sandbox(self, environment: Mapping[str, str] | None = None) -> Sandbox:
        """A sandbox for the task's agent, not started yet; ``environment`` as in ``factory.make_sandbox``."""
        return make_sandbox(self.sandbox_kind, self.tools, environment)
