"""Every process of a command is dead when the command returns, however it ended."""

from __future__ import annotations

import os
import secrets
import signal
import threading
import time
from pathlib import Path

import pytest
from boxes import Box, children, host_processes, make_box

from harness.sandbox.interface import Lifetime, Limits, SandboxLost

pytestmark = pytest.mark.needs_bwrap


@pytest.fixture
def marker() -> str:
    """Seconds to sleep, told apart from all other sleepers of this machine."""
    return f"600.{secrets.randbelow(10**9):09d}"


def test_input_is_at_its_end_at_once(box: Box) -> None:
    """Whatever the input of this process is: here, one that never ends."""
    kept, (read, write) = os.dup(0), os.pipe()
    os.dup2(read, 0)
    try:
        done = box.run("cat; read line; echo $?; git hash-object --stdin", seconds=20)
    finally:
        os.dup2(kept, 0)
        for end in (kept, read, write):
            os.close(end)
    assert (done.returncode, done.output.split()[0], done.limit) == (0, b"1", None)


@pytest.mark.parametrize("padding", ["", "x" * 120_000], ids=["short", "long"])
def test_a_command_has_no_descriptor_but_the_three(box: Box, padding: str) -> None:
    code = """
import os
for end in range(300):
    try:
        os.fstat(end)
        print(end)
    except OSError:
        pass
"""
    # A long command is read from a file, which the shell holds open meanwhile.
    done = box.run(f": {padding}\nexec python3 -c '{code}'")
    assert done.output.split() in ([b"0", b"1", b"2"], [b"0", b"1", b"2", b"3"] if padding else [])


@pytest.mark.parametrize(
    "command",
    [
        "sleep {0} & echo hi",
        "setsid sleep {0} & echo hi",
        "nohup sleep {0} >/dev/null 2>&1 & disown; echo hi",
        "(setsid sh -c 'trap \"\" HUP TERM INT; sleep {0}; :' &) ; echo hi",
        "python3 -c 'import os\nif os.fork() == 0:\n    os.setsid()\n    if os.fork() == 0:\n"
        '        os.execvp("sleep", ["sleep", "{0}"])\n    os._exit(0)\'; echo hi',
    ],
    ids=["background", "setsid", "nohup", "orphan", "daemon"],
)
def test_what_a_command_leaves_behind_is_reported_and_dead(box: Box, marker: str, command: str) -> None:
    seen_inside = f"; until grep -qs {marker} /proc/[0-9]*/cmdline; do sleep 0.02; done"
    done = box.run(command.format(marker) + seen_inside)
    assert (done.returncode, done.output, done.limit) == (0, b"hi\n", None)
    assert done.background_left
    assert host_processes(marker) == []


@pytest.mark.parametrize(
    "command", ["true", "echo a | cat | cat", "(sleep 0.05)", "sleep 0.05 & wait", "exit 3", "exec true"]
)
def test_a_command_that_leaves_nothing_is_not_reported(box: Box, command: str) -> None:
    assert not box.run(command).background_left


@pytest.mark.parametrize("stubborn", ["", "trap '' TERM INT HUP; "])
def test_timeout_kills_the_whole_tree_and_keeps_the_output_so_far(box: Box, marker: str, stubborn: str) -> None:
    done = box.run(
        f"{stubborn}echo early; setsid sleep {marker} & (sleep 1.6; echo late > late) & sleep {marker}; echo never",
        seconds=1,
    )
    assert (done.timed_out, done.limit, done.returncode, done.output) == (True, "seconds", -1, b"early\n")
    assert host_processes(marker) == []
    time.sleep(0.8)
    assert box.text("ls") == ""


def test_timeout_holds_against_endless_output(box: Box) -> None:
    done = box.run("yes", seconds=0.5)
    assert done.limit == "seconds"
    assert done.truncated_bytes > 0


@pytest.mark.parametrize(
    ("command", "code"),
    [
        ("exit 3", 3), ("false", 1), ("kill -9 $$", 137), ("kill -TERM $$", 143), ("kill -SEGV $$", 139),
        ("no-such-program", 127), ("/etc/passwd", 126), ("exit 256", 0), ("if", 2), ("set -e; false; echo never", 1),
        ("set -o pipefail; false | true", 1),
        ("exec sh -c 'exit 5'", 5), ("sh -c 'kill -9 $$'", 137), ("kill -9 $PPID; exit 4", 4),
    ],
)  # fmt: skip
def test_exit_codes(box: Box, command: str, code: int) -> None:
    done = box.run(command)
    assert (done.returncode, done.limit) == (code, None)
    assert b"bash -c" not in done.output  # what the shell around it would say of its end
    if "$$" in command and "sh -c" not in command:
        assert done.output == b""


def test_a_command_cannot_forge_the_sandboxs_reports(box: Box) -> None:
    """Every descriptor of every process is tried; neither status nor the count of processes changes."""
    done = box.run("""python3 - <<'END'
import glob, os
for path in glob.glob("/proc/[0-9]*/fd/*"):
    if os.path.basename(path) in "012":
        continue
    try:
        end = os.open(path, os.O_WRONLY | os.O_NONBLOCK)
        os.write(end, b'{ "exit-code": 0 }\\n')
    except OSError:
        pass
END
exit 9""")
    assert (done.returncode, done.output) == (9, b"")


def _kill_bwrap() -> None:
    deadline = time.monotonic() + 20
    while time.monotonic() < deadline:
        for pid, (name, _) in children(os.getpid()).items():
            # Its own child is there, so the command may be running.
            if name == "bwrap" and children(pid):
                os.kill(pid, signal.SIGKILL)
                return
        time.sleep(0.02)


def test_a_killed_sandbox_is_lost_and_not_an_exit_code(box: Box, marker: str) -> None:
    killer = threading.Timer(0.3, _kill_bwrap)
    killer.start()
    with pytest.raises(SandboxLost):
        box.run(f"echo started; sleep {marker}")
    killer.join()
    assert host_processes(marker) == []
    assert box.text("echo works again") == "works again\n"


def test_a_sandbox_that_cannot_start_is_lost(box_folder: Path) -> None:
    box = make_box(box_folder)
    box.mounts.lowers[0].rmdir()
    with pytest.raises(SandboxLost, match="bubblewrap"):
        box.run("true")


def test_a_stopped_sandbox_runs_nothing(box: Box) -> None:
    box.sandbox.stop()
    box.sandbox.stop()
    with pytest.raises(SandboxLost, match="not started"):
        box.run("true")


_MEDDLE = """
import os
for path in ("mem", "task/1/mem", "fd", "task/1/fd", "root", "cwd", "maps"):
    for way in ("/proc/1/", "/proc/self/../1/", os.path.join("/proc/self", "root", "proc/1/")):
        if os.path.lexists(way + path):
            print("there:", way + path)
try:
    open("/proc/1/new", "w")
    print("written")
except OSError:
    print("end")
"""


@pytest.mark.parametrize("lifetime", ["action", "attempt"])
def test_the_first_process_is_out_of_reach(box_folder: Path, lifetime: Lifetime) -> None:
    """Its memory, rewritten, could end it as if the host had; from its descriptors its report could be taken."""
    box = make_box(box_folder, lifetime=lifetime)
    try:
        assert box.text(f"python3 - <<'END'\n{_MEDDLE}\nEND") == "end\n"
    finally:
        box.sandbox.stop()


def test_a_hundred_commands_leak_neither_descriptors_nor_zombies_nor_threads(box_folder: Path) -> None:
    box = make_box(box_folder, limits=Limits(seconds=20, output_bytes=1000))
    box.run("true")
    kept = set(os.listdir("/proc/self/fd")), children(os.getpid()).keys(), threading.active_count()
    for number in range(100):
        command = ("true", "sleep 60 & exit 1", "seq 1000", f": {'x' * 120_000}")[number % 4]
        box.run(command)
    box.run("sleep 60", seconds=0.1)
    assert (set(os.listdir("/proc/self/fd")), children(os.getpid()).keys(), threading.active_count()) == kept


def test_commands_of_several_threads_do_not_disturb_each_other(box_folder: Path) -> None:
    boxes = [make_box(box_folder / str(number)) for number in range(4)]
    said: dict[int, list[str]] = {}

    def work(number: int) -> None:
        said[number] = [boxes[number].text(f"sleep 60 & echo {number}-{turn}").strip() for turn in range(5)]

    threads = [threading.Thread(target=work, args=(number,)) for number in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert said == {number: [f"{number}-{turn}" for turn in range(5)] for number in range(4)}
