"""What the agent is shown of a result, and that nothing else is."""

from __future__ import annotations

from typing import Any

import pytest

from harness.agents.environment import SandboxEnvironment
from harness.agents.interrupts import AttemptLost
from harness.sandbox.interface import Limits, Mounts, Result, SandboxLost


class Canned:
    """A sandbox that answers every command with one result, or is lost."""

    kind = "canned"

    def __init__(self, result: Result | None):
        self.result, self.ran = result, list[str]()

    def start(self, mounts: Mounts, limits: Limits, lifetime: Any = "action") -> None:
        raise AssertionError

    def run(self, command: str, *, seconds: float | None = None, pass_fds: tuple[int, ...] = ()) -> Result:
        self.ran.append(command)
        if self.result is None:
            raise SandboxLost("gone")
        return self.result

    def stop(self) -> None:
        raise AssertionError


def execute(
    result: Result | None, command: object = "ls"
) -> tuple[dict[str, Any], list[tuple[str, Result]], list[str]]:
    """(what the agent sees, what the observer was told, what the sandbox ran)."""
    told: list[tuple[str, Result]] = []
    sandbox = Canned(result)
    environment = SandboxEnvironment(sandbox, 5, lambda command, result: told.append((command, result)))
    return environment.execute({"command": command}), told, sandbox.ran


def test_output_and_status_are_shown() -> None:
    result = Result(3, b"a\xffb\n", 0.1)
    seen, told, ran = execute(result)
    assert seen == {"output": "a\ufffdb\n", "returncode": 3, "exception_info": ""}
    assert told == [("ls", result)]
    assert ran == ["ls"]


def test_limits_are_explained() -> None:
    late = execute(Result(-1, b"so far", 5.0, timed_out=True, limit="seconds"))[0]
    assert (late["output"], late["returncode"]) == ("so far", -1)
    assert late["exception_info"] == "The command timed out after 5 seconds and was killed."
    large = execute(Result(-1, b"", 1.0, limit="memory"))[0]
    assert large["exception_info"] == "The command was killed: it exceeded the sandbox's limit on memory."


@pytest.mark.parametrize("command", ["echo a\0b", "echo \ud83d", "echo \udcff"])
def test_a_command_that_no_system_can_run_is_answered_like_any_other(command: str) -> None:
    seen, told, ran = execute(Result(0, b"", 0.0), command)
    assert seen["returncode"] == -1
    assert "was not run" in seen["output"]
    assert [text for text, _ in told] == [command]
    assert ran == []


def test_a_lost_sandbox_is_never_shown_as_output() -> None:
    with pytest.raises(AttemptLost) as caught:
        execute(None)
    assert caught.value.reason == "sandbox_lost"
    assert caught.value.detail == "gone"


def test_templates_learn_nothing_of_this_machine() -> None:
    shown = SandboxEnvironment(Canned(None), 5, lambda *_: None).get_template_vars(extra=1)
    assert (shown["cwd"], shown["timeout"], shown["node"], shown["extra"]) == ("/testbed", 5, "sandbox", 1)
