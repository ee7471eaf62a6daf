"""mini-swe-agent's ``Environment``: runs actions in a sandbox and tells an observer about each one."""

from __future__ import annotations

import platform
from collections.abc import Callable
from contextlib import AbstractContextManager, ExitStack, nullcontext
from dataclasses import dataclass
from typing import Any

from harness.agents.interrupts import WALL_LIMIT, AttemptLost, end_attempt
from harness.sandbox.interface import WORKSPACE, Result, Sandbox, SandboxLost
from harness.worktime import WorkTime

#: Called after each action with its command and result, once every process of it is dead.
Observer = Callable[[str, Result], None]


_CANNOT_BE_RUN = b"The command was not run: it holds a NUL character or half a surrogate pair.\n"


def _can_be_run(command: str) -> bool:
    """Whether an operating system can take ``command`` as an argument. JSON has texts that it cannot."""
    return "\0" not in command and not any("\ud800" <= character <= "\udfff" for character in command)


@dataclass(frozen=True)
class EnvironmentConfig:
    """What templates may show of the environment."""

    cwd: str = WORKSPACE
    timeout: float = 60.0


class SandboxEnvironment:
    """Implements mini-swe-agent's Environment protocol over a started sandbox.

    Args:
        command_seconds: limit of one command.
        work: the attempt's working time, whose limit also bounds each command; None: unlimited.
        slot: entered around each command and its observation; entering may block, which is waiting and no work.
    """

    def __init__(
        self,
        sandbox: Sandbox,
        command_seconds: float,
        observer: Observer,
        work: WorkTime | None = None,
        slot: Callable[[], AbstractContextManager[None]] = nullcontext,
    ):
        self.config = EnvironmentConfig(timeout=command_seconds)
        self._sandbox, self._observer = sandbox, observer
        self._work, self._slot = work or WorkTime(), slot

    def execute(self, action: dict[str, Any], cwd: str = "") -> dict[str, Any]:
        """Runs one action.

        Raises:
            AttemptLost: the sandbox died; its state is never shown to the agent as output.
        """
        command = str(action.get("command", ""))
        with ExitStack() as held:
            with self._work.waiting():
                held.enter_context(self._slot())
            result = self._run(command)
            self._observer(command, result)
        return self._observation(result)

    def _run(self, command: str) -> Result:
        left = self._work.left
        if left <= 0:  # a call may have many actions
            raise end_attempt(WALL_LIMIT)
        if not _can_be_run(command):
            return Result(-1, _CANNOT_BE_RUN, 0.0)
        try:
            return self._sandbox.run(command, seconds=min(self.config.timeout, left))
        except SandboxLost as lost:
            raise AttemptLost("sandbox_lost", str(lost)) from lost

    def _observation(self, result: Result) -> dict[str, Any]:
        info = ""
        if result.timed_out:
            info = f"The command timed out after {self.config.timeout:g} seconds and was killed."
        elif result.limit:
            info = f"The command was killed: it exceeded the sandbox's limit on {result.limit}."
        return {
            "output": result.output.decode("utf-8", errors="replace"),
            "returncode": result.returncode,
            "exception_info": info,
        }

    def get_template_vars(self, **kwargs: Any) -> dict[str, Any]:
        uname = platform.uname()._asdict() | {"node": "sandbox"}
        return {"cwd": self.config.cwd, "timeout": self.config.timeout, **uname, **kwargs}

    def serialize(self) -> dict[str, Any]:
        return {"info": {"config": {"environment": {"cwd": self.config.cwd, "timeout": self.config.timeout}}}}
