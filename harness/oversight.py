"""What the host does around an attempt's actions: boots the task's services, takes the state, has it judged."""

from __future__ import annotations

from contextlib import AbstractContextManager, nullcontext
from typing import TYPE_CHECKING, Any, cast

from harness.errors import InputError
from harness.layer_store import LayerStore
from harness.sandbox.interface import Limits, Result, Sandbox
from harness.workspace.layer import Layer
from harness.workspace.workspace import Workspace
from verifiers.place import Place
from verifiers.verdict import Verdict
from verifiers.watching import Action, Ending, writable_elsewhere

if TYPE_CHECKING:
    from harness.sandbox.interface import ServiceSandbox

#: Seconds that the boot of a task's services may take.
_BOOT_SECONDS = 60.0


class Oversight:
    """Follows one try from the host; nothing inside the sandbox reaches it."""

    def __init__(self, place: Place, layers: LayerStore):
        self._place, self._layers = place, layers
        self._judge = place.attempt_judge
        self._services: ServiceSandbox | None = None

    def start(self, sandbox: Sandbox, workspace: Workspace, limits: Limits) -> None:
        """Starts the sandbox and the task's services in it.

        Raises:
            SandboxLost: the sandbox did not start.
            InputError: the task has services, and this kind of sandbox cannot hold any.
        """
        self._workspace = workspace
        if not self._place.boot:
            sandbox.start(workspace.mounts, limits)
            return
        if not (hasattr(sandbox, "paused") and hasattr(sandbox, "processes")):
            raise InputError(
                f"{self._place.task.id} has services, which a {sandbox.kind} sandbox cannot hold", key="sandbox.kind",
                mend="set sandbox.kind: bubblewrap or docker",
            )  # fmt: skip
        self._services = cast("ServiceSandbox", sandbox)
        sandbox.start(workspace.mounts, limits, lifetime="attempt")
        # One that does not start is what the task is about.
        sandbox.run("\n".join(f"{one} >/dev/null 2>&1" for one in self._place.boot), seconds=_BOOT_SECONDS)
        with self._paused():
            layer, processes = self._layers.snapshot(workspace), self._processes()
        self._judge.begin(layer, self._layers.get, processes)

    def snapshot(self) -> Layer:
        """The workspace's layer as it is now, taken while the services are stopped."""
        with self._paused():
            return self._layers.snapshot(self._workspace)

    def judge(self, call: int, command: str, result: Result) -> tuple[Layer, Verdict]:
        """The state after an action, and the verdict on it."""
        with self._paused():
            layer, processes = self._layers.snapshot(self._workspace), self._processes()
        action = Action(call, command, result.output, writable_elsewhere(self._workspace.mounts))
        return layer, self._judge.judge(action, layer, self._layers.get, processes)

    def outcome(self, ending: Ending) -> dict[str, Any]:
        """What the judge adds to the outcome of the try."""
        return self._judge.outcome(ending)

    def _paused(self) -> AbstractContextManager[None]:
        return self._services.paused() if self._services else nullcontext()

    def _processes(self) -> dict[int, str]:
        return self._services.processes() if self._services else {}
