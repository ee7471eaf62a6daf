"""Acts on a task with commands in a real sandbox with its services, as an agent does, and has every action judged."""

from __future__ import annotations

import contextlib
import tempfile
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from harness.canonical import digest_bytes
from harness.errors import InputError
from harness.paths import state_dir
from harness.sandbox.interface import Limits, Sandbox
from harness.workspace.layer import Layer
from harness.workspace.workspace import Workspace
from verifiers.place import Place
from verifiers.recovery.attempt import AttemptJudge
from verifiers.recovery.verdict import RecoveryVerdict
from verifiers.recovery.verifier import RecoveryVerifier
from verifiers.watching import Action, writable_elsewhere

#: Limits of a script's commands.
LIMITS = Limits(seconds=30.0, memory_bytes=1 << 30, processes=128, disk_bytes=256 << 20, inodes=20_000)


@dataclass
class Acted:
    """What became of a script."""

    verdict: RecoveryVerdict
    """After the last action."""
    judge: AttemptJudge
    layer: Layer
    content: dict[str, bytes]
    """Files of the layer by SHA-256."""
    reset_seconds: float = 0.0
    """Time of the fresh workspace and the boot."""
    outputs: list[tuple[str, int, bytes]] = field(default_factory=list)
    """Command, exit code and output of each action."""


@dataclass
class Scene:
    """A fresh workspace with its services booted."""

    place: Place
    workspace: Workspace
    sandbox: Sandbox
    content: dict[str, bytes]

    def look(self) -> tuple[Layer, dict[int, str]]:
        """The layer and the live processes, taken while everything is stopped."""
        with self.sandbox.paused():  # type: ignore[attr-defined]
            return self.workspace.snapshot(self._keep), self.sandbox.processes()  # type: ignore[attr-defined]

    def _keep(self, data: bytes) -> None:
        self.content[digest_bytes(data)] = data


@contextlib.contextmanager
def scene(place: Place) -> Iterator[Scene]:
    """The broken system, booted."""
    with Workspace(place.base) as workspace:
        sandbox = place.make_sandbox()
        sandbox.start(workspace.mounts, LIMITS, lifetime="attempt")
        try:
            boot(place, sandbox)
            yield Scene(place, workspace, sandbox, {})
        finally:
            sandbox.stop()


def boot(place: Place, sandbox: Sandbox) -> None:
    """Starts the services of a task; some do not start, which is what is broken."""
    sandbox.run("\n".join(f"{command} >/dev/null 2>&1" for command in place.boot), seconds=30.0)


def act(place: Place, script: Sequence[str]) -> Acted:
    """Runs ``script`` in a fresh scene, one action after the other; a state that comes twice is judged once."""
    verifier = place.verifier
    if not isinstance(verifier, RecoveryVerifier):
        raise InputError(f"{place.task.id} is no recovery task", mend="name one")
    began = time.monotonic()
    with tempfile.TemporaryDirectory(dir=state_dir()) as kept, scene(place) as stage:
        reset_seconds = time.monotonic() - began
        judge = verifier.watch(Path(kept))
        layer, processes = stage.look()
        judge.begin(layer, stage.content.__getitem__, processes)
        folders = writable_elsewhere(stage.workspace.mounts)
        outputs, verdict = [], None
        for number, command in enumerate(script, 1):
            result = stage.sandbox.run(command)
            outputs.append((command, result.returncode, result.output))
            layer, processes = stage.look()
            action = Action(number, command, result.output, folders)
            verdict = judge.judge(action, layer, stage.content.__getitem__, processes)
        assert verdict is not None
        return Acted(verdict, judge, layer, stage.content, reset_seconds, outputs)
