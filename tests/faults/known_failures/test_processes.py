"""Known failures of other harnesses around processes, time and sandboxes, each under its id."""

from __future__ import annotations

import os
import secrets
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from boxes import children, host_processes
from chat_server import ChatServer, Step, bash
from recorded import blob, collected, layer_after, printed
from tiny_lab import TinyLab
from trying import RIGHT, Tried, Trier

from harness.recorder import decode_output
from harness.workspace.files import remove_tree

pytestmark = pytest.mark.needs_bwrap


@pytest.fixture
def marker() -> str:
    """Seconds to sleep, told apart from all other sleepers of this machine."""
    return f"600.{secrets.randbelow(10**9):09d}"


def output(tried: Tried, number: int) -> bytes:
    return decode_output(tried.of("action")[number])


def until(found: Callable[[], object], seconds: float = 60) -> None:
    deadline = time.monotonic() + seconds
    while not found():
        assert time.monotonic() < deadline, "it never came"
        time.sleep(0.02)


LATE = {
    "child": 'sh -c "sleep 3; echo late > f"',
    "session": 'setsid sh -c "sleep 3; echo late > f" & sleep 60',
    "stubborn": "trap '' TERM INT HUP; (trap '' TERM INT HUP; sleep 3; echo late > f) & sleep 60",
    "orphan": '(nohup setsid sh -c "sleep 3; echo late > f" >/dev/null 2>&1 &); sleep 60',
    "python": "python3 -c \"import time; time.sleep(3); open('f', 'w').write('late')\"",
}


@pytest.mark.parametrize("command", LATE.values(), ids=LATE)
def test_t02_a_timed_out_command_writes_nothing_later(attempt: Trier, command: str) -> None:
    tried = attempt(bash(command), bash("sleep 3.5; ls"), bash(RIGHT), limits={"command_seconds": 1.0})
    # The second action is over its limit too; by then the file would have been there.
    assert [line["limit"] for line in tried.of("action")] == ["seconds", "seconds", None]
    assert tried.end == ("verified", 3, None)
    assert "f" not in layer_after(tried).manifest


def test_t02_the_state_that_is_judged_is_the_state_that_is_left(attempt: Trier) -> None:
    writer = "setsid sh -c 'while :; do date +%s%N > f; cp f tinypkg/g; done' & sleep 60"
    tried = attempt(bash(writer), bash("sleep 0.3; cat f; ls"), bash(RIGHT), limits={"command_seconds": 1.0})
    first, second = layer_after(tried, 0), layer_after(tried, 1)
    assert first.digest == second.digest
    assert "tinypkg/g" in first.manifest
    assert output(tried, 1).startswith(blob(first.manifest["f"].sha256 or ""))
    assert tried.of("verdict")[1]["cached"]


BACKGROUND = {
    "plain": "sleep {0} & echo hi",
    "pipe kept open": "(sleep {0}; echo never) & echo hi",
    "session": "setsid sleep {0} & echo hi",
    "nohup": "nohup sleep {0} > /dev/null 2>&1 & disown; echo hi",
    "daemon": "python3 -c 'import os\nif not os.fork(): os.setsid(); os.execlp(\"sleep\", \"x\", \"{0}\")'; echo hi",
}  # fmt: skip


@pytest.mark.parametrize("command", BACKGROUND.values(), ids=BACKGROUND)
def test_t03_a_background_job_does_not_hold_the_command_up(attempt: Trier, marker: str, command: str) -> None:
    tried = attempt(bash(command.format(marker)), bash(RIGHT))
    line = tried.of("action")[0]
    assert (line["returncode"], output(tried, 0), line["limit"]) == (0, b"hi\n", None)
    assert line["background_left"]
    assert tried.result.actions[0].flags == {"background_left": True}
    assert not tried.of("action")[1]["background_left"]
    assert tried.end == ("verified", 2, None)
    assert host_processes(marker) == []


def test_t03_show_says_what_was_left(in_lab: TinyLab, server: ChatServer) -> None:
    found = collected(in_lab, server, bash("sleep 600 & echo hi"), bash(RIGHT))
    assert b"= returned 0, background processes left after" in printed(in_lab, "show", found).stdout


@pytest.mark.parametrize("ending", ["", "; exit 3", "; kill -9 $$", "; sleep 600", "; exec sleep 600"])
def test_t04_what_leaves_the_group_is_gone_with_the_action(attempt: Trier, marker: str, ending: str) -> None:
    alive: list[str] = []

    def respond(request: dict[str, object]) -> Step:
        alive.extend(host_processes(marker))
        return bash(RIGHT) if len(attempt.server.requests) == 3 else bash(f"setsid sleep {marker} &{ending}")

    attempt.server.respond = respond
    tried = attempt(bash("unused"), limits={"command_seconds": 1.0})
    assert tried.end == ("verified", 3, None)
    assert alive == host_processes(marker) == []


READERS = {
    "read": "read x; echo got $?",
    "cat": "cat; echo got 1",
    "python": "python3; echo got 1",
    "interactive python": "python3 -i -q; echo got 1",
    "shell": "bash -i 2>/dev/null; echo got 1",
    "commit": "echo x >> README; git commit -a; echo got 1",
    "editor": "git commit -q --allow-empty -m x; git -c core.editor='sh -c \"read x\"' commit --amend; echo got 1",
    "rebase": "git -c sequence.editor='sed --' rebase -i --root; echo got 1",
    "terminal": "read x < /dev/tty; echo got $?",
    "password": "python3 -c 'import getpass; getpass.getpass()'; echo got 1",
    "patch": "git add -p; echo got 1",
    "pager": "git -c core.pager=less log; less README; echo got 1",
    "substitution": "x=$(head -c 1 | wc -c); echo got $((1 - x))",
}


@pytest.mark.parametrize("command", READERS.values(), ids=READERS)
def test_t05_input_is_at_its_end_at_once(attempt: Trier, command: str) -> None:
    tried = attempt(bash(command), bash(RIGHT))
    line = tried.of("action")[0]
    assert (line["returncode"], line["limit"]) == (0, None)
    assert output(tried, 0).endswith(b"got 1\n")


@contextmanager
def killing(marker: str, inside: bool) -> Iterator[None]:
    """Kills the bwrap of the command that sleeps for ``marker``, or the first process inside it."""

    def kill() -> None:
        until(lambda: host_processes(marker))
        for pid, (name, _) in children(os.getpid()).items():
            if name == "bwrap":
                os.kill(next(iter(children(pid))) if inside else pid, signal.SIGKILL)

    # The command's own text holds the marker, too; its sleep comes a moment later.
    thread = threading.Thread(target=kill)
    thread.start()
    yield
    thread.join()


@pytest.mark.parametrize("inside", [False, True], ids=["bwrap", "first process"])
def test_t13_a_sandbox_that_ends_under_a_command_is_lost_and_no_more_is_asked(
    attempt: Trier, marker: str, inside: bool
) -> None:
    with killing(marker, inside):
        tried = attempt(bash("echo before"), bash(f"sleep {marker}"), bash(RIGHT))
    assert tried.lost == ("sandbox_lost", 2)
    assert len(tried.requests) == 2
    assert [line["command"] for line in tried.of("action")] == ["echo before"]
    assert host_processes(marker) == []


@pytest.mark.slow
def test_t13_the_lost_try_is_excluded_and_another_one_counts(
    in_lab: TinyLab, server: ChatServer, tmp_path: Path
) -> None:
    """A sandbox whose files are taken away between two commands."""

    def respond(request: dict[str, object]) -> Step:
        if len(server.requests) == 2:
            for folder in (in_lab.state / "work").glob("*/*/upper"):
                remove_tree(folder)
        return bash("echo mine > mine") if len(server.requests) in (1, 2) else bash("ls", RIGHT)

    server.respond = respond
    found = collected(in_lab, server)
    shown = printed(in_lab, "show", found).stdout.decode()
    assert "excluded: sandbox_lost" in shown
    assert "try 2: verified at call 1; counted" in shown
    assert "| mine" not in shown.partition("try 2")[2]


def test_t15_three_causes_of_137_are_three_outcomes(attempt: Trier, marker: str) -> None:
    hog = "python3 -c 'x = bytearray(10**9)\nfor n in range(0, 10**9, 4096): x[n] = 1\nimport time; time.sleep(60)'"
    tried = attempt(
        bash("exit 137"), bash("kill -9 $$"), bash("sh -c 'kill -9 $$'"), bash(hog), bash(RIGHT),
        limits={"memory_mb": 256},
    )  # fmt: skip
    lines = tried.of("action")
    assert [(line["returncode"], line["limit"]) for line in lines] == [
        (137, None), (137, None), (137, None), (-1, "memory"), (0, None),
    ]  # fmt: skip
    told = str(tried.requests[4]["messages"][-1]["content"])
    assert "limit on memory" in told
    assert tried.end == ("verified", 5, None)
    with killing(marker, inside=True):
        killed = attempt(bash(f"sleep {marker}"))
    assert killed.lost == ("sandbox_lost", 1)
    assert killed.of("action") == []


def test_t16_what_a_limit_killed_leaves_the_files_as_they_were(attempt: Trier) -> None:
    hog = "echo kept > kept; echo kept > /tmp/kept; echo kept > ~/kept; python3 -c 'x = b\"1\" * 10**9'; sleep 60"
    tried = attempt(
        bash(hog), bash("cat kept /tmp/kept ~/kept; rm kept"), bash(RIGHT),
        limits={"memory_mb": 256, "command_seconds": 5.0},
    )  # fmt: skip
    assert tried.of("action")[0]["limit"] in ("memory", "seconds")
    assert output(tried, 1) == b"kept\n" * 3


def test_t16_a_workspace_that_is_gone_is_never_an_empty_one(attempt: Trier, in_lab: TinyLab) -> None:
    def respond(request: dict[str, object]) -> Step:
        if len(attempt.server.requests) == 2:
            for folder in (in_lab.state / "work").glob("*/*/*"):
                remove_tree(folder)
        return bash("echo mine > mine; ls")

    attempt.server.respond = respond
    tried = attempt(bash("unused"))
    assert tried.lost == ("sandbox_lost", 2)
    assert len(tried.of("action")) == 1


def test_t17_a_killed_harness_leaves_no_process(attempt: Trier, in_lab: TinyLab, marker: str) -> None:
    attempt.server.script(bash(f"setsid nohup sleep {marker} & trap '' TERM; sleep {marker}"))
    environment = in_lab.environment | {"PYTHONPATH": os.pathsep.join(filter(None, sys.path)), "OPENAI_API_KEY": "none"}
    child = subprocess.Popen(
        [sys.executable, "-m", "trying", attempt.server.url, str(in_lab.root / "killed.jsonl")],
        env=environment, cwd=in_lab.root, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
    )  # fmt: skip
    try:
        until(lambda: len([line for line in host_processes(marker) if ": sleep " in line]) == 2, 120)
        child.send_signal(signal.SIGKILL)
    finally:
        child.kill()
        child.wait()
    until(lambda: not host_processes(marker))


def test_t17_neither_processes_nor_interfaces_of_the_host_show(attempt: Trier, marker: str) -> None:
    neighbour = subprocess.Popen(["sleep", marker])
    try:
        look = "for f in /proc/[0-9]*; do tr '\\0' ' ' < $f/cmdline; echo; done; ls /proc | grep -c '^[0-9]'"
        tried = attempt(bash(look), bash("tail -n +3 /proc/net/dev | cut -d: -f1; ls /sys/class/net 2>&1"), bash(RIGHT))
    finally:
        neighbour.kill()
        neighbour.wait()
    assert marker.encode() not in output(tried, 0)
    assert int(output(tried, 0).split()[-1]) < 8
    assert output(tried, 1).split()[0] == b"lo"
    assert b"eth" not in output(tried, 1)
