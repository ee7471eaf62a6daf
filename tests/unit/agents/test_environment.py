"""What the agent is shown of a result, and that nothing else is."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import pytest

from harness.agents.environment import SandboxEnvironment
from harness.agents.interrupts import AttemptLost, stop_class
from harness.sandbox.interface import Limits, Mounts, Result, SandboxLost
from harness.worktime import WorkTime


class Canned:
    """A sandbox that answers every command with one result, or is lost."""

    kind = "canned"

    def __init__(self, result: Result | None):
        self.result, self.ran, self.seconds = result, list[str](), list[float | None]()

    def start(self, mounts: Mounts, limits: Limits, lifetime: Any = "action") -> None:
        raise AssertionError

    def run(self, command: str, *, seconds: float | None = None, pass_fds: tuple[int, ...] = ()) -> Result:
        self.ran.append(command)
        self.seconds.append(seconds)
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


def test_a_command_waits_for_its_place_and_gets_what_is_left_of_the_attempt() -> None:
    now, held = [0.0], [0]

    @contextmanager
    def slot() -> Iterator[None]:
        now[0] += 1000  # until there was a place
        held[0] += 1
        try:
            yield
        finally:
            held[0] -= 1

    def observe(command: str, result: Result) -> None:
        assert held == [1], "the verification has the place too"
        now[0] += 3

    work, sandbox = WorkTime(10.0, lambda: now[0]), Canned(Result(0, b"", 0.0))
    environment = SandboxEnvironment(sandbox, 5, observe, work, slot)
    for _ in range(4):
        environment.execute({"command": "ls"})
    with pytest.raises(stop_class()) as ended:
        environment.execute({"command": "ls"})
    assert ended.value.status == "wall_limit"  # type: ignore[attr-defined]
    assert sandbox.seconds == [5, 5, 4.0, 1.0]
    assert (work.working_s, work.waiting_s, held) == (12.0, 5000.0, [0])


def test_templates_learn_nothing_of_this_machine() -> None:
    shown = SandboxEnvironment(Canned(None), 5, lambda *_: None).get_template_vars(extra=1)
    assert (shown["cwd"], shown["timeout"], shown["node"], shown["extra"]) == ("/testbed", 5, "sandbox", 1)
