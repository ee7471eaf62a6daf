"""mini-swe-agent's ``Environment``: runs actions in a sandbox and tells an observer about each one."""

from __future__ import annotations

import platform
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from harness.agents.interrupts import AttemptLost
from harness.sandbox.interface import WORKSPACE, Result, Sandbox, SandboxLost

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
    """Implements mini-swe-agent's Environment protocol over a started sandbox."""

    def __init__(self, sandbox: Sandbox, command_seconds: float, observer: Observer):
        self.config = EnvironmentConfig(timeout=command_seconds)
        self._sandbox, self._observer = sandbox, observer

    def execute(self, action: dict[str, Any], cwd: str = "") -> dict[str, Any]:
        """Runs one action.

        Raises:
            AttemptLost: the sandbox died; its state is never shown to the agent as output.
        """
        command = str(action.get("command", ""))
        try:
            result = self._sandbox.run(command) if _can_be_run(command) else Result(-1, _CANNOT_BE_RUN, 0.0)
        except SandboxLost as lost:
            raise AttemptLost("sandbox_lost", str(lost)) from lost
        self._observer(command, result)
        return self._observation(result)

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
