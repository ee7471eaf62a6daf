"""The verifier of one recovery task on this machine."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from harness.sandbox.tools import Tools
from harness.workspace.base import Base
from harness.workspace.layer import Layer
from tasks.recovery.task import RecoveryTask
from verifiers.recovery.attempt import AttemptJudge
from verifiers.recovery.state import StateJudge
from verifiers.verdict import Verdict


class RecoveryVerifier:
    """Judges single states (a ``Verifier``), and makes the judges of whole attempts."""

    def __init__(self, task: RecoveryTask, base: Base, tools: Tools, sandbox: str):
        self._task, self._base = task, base
        self.states = StateJudge(task, base, tools, sandbox)
        self.digest = self.states.digest

    def verify(self, layer: Layer, content: Callable[[str], bytes]) -> Verdict:
        """Judges ``layer`` as if every service ran whose pid file is there; the trajectory is not known."""
        return self.watch(None).alone(layer, content)

    def watch(self, folder: Path | None) -> AttemptJudge:
        """A judge for one attempt; ``folder`` keeps state verdicts."""
        return AttemptJudge(self._task, self._base, self.states, folder)
