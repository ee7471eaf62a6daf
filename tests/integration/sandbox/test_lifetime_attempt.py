"""A sandbox that lives as long as the attempt: services stay, commands do not, nothing outlives it."""

from __future__ import annotations

import os
import secrets
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from boxes import Box, children, given_folder, host_processes, make_box

from harness.paths import PROJECT
from harness.sandbox.bubblewrap import BubblewrapSandbox
from harness.sandbox.interface import Limits, SandboxLost

pytestmark = pytest.mark.needs_bwrap
MB = 1 << 20


def lasting(folder: Path, limits: Limits | None = None) -> Box:
    """A sandbox with an empty workspace, alive until it is stopped."""
    box = make_box(folder, limits=limits)
    box.mounts = replace(box.mounts, calls=given_folder(folder / "calls"))
    box.sandbox.start(box.mounts, limits or Limits(seconds=30), "attempt")
    return box


@pytest.fixture
def marker() -> str:
    """Seconds to sleep, told apart from all other sleepers of this machine."""
    return f"600.{secrets.randbelow(10**9):09d}"


@pytest.fixture
def desk(box_folder: Path) -> Iterator[Box]:
    box = lasting(box_folder)
    yield box
    box.sandbox.stop()


def until(true: Callable[[], object]) -> None:
    deadline = time.monotonic() + 30
    while not true():
        assert time.monotonic() < deadline
        time.sleep(0.05)


def test_a_service_serves_later_commands_and_ends_with_the_sandbox(desk: Box, marker: str) -> None:
    done = desk.run(f"echo page > page; python3 -m http.server 8000 & sleep {marker} & echo started")
    assert (done.returncode, done.background_left, done.limit) == (0, True, None)
    code = "import urllib.request as u; print(u.urlopen('http://127.0.0.1:8000/page', timeout=5).read())"
    done = desk.run(f'for i in $(seq 100); do python3 -c "{code}" 2> /dev/null && exit; sleep 0.1; done; exit 1')
    assert (done.returncode, done.output, done.background_left) == (0, b"b'page\\n'\n", False)
    assert len(host_processes(marker)) == 1
    desk.sandbox.stop()
    assert host_processes(marker) == []
    assert list((desk.mounts.calls or Path()).iterdir()) == []
    with pytest.raises(SandboxLost, match="not started"):
        desk.run("true")


def test_a_timed_out_command_dies_whole_and_services_live(desk: Box, marker: str) -> None:
    desk.run(f"setsid sleep {marker}0 &")
    until(lambda: [line for line in host_processes(marker) if ": sleep" in line])
    done = desk.run(f"echo early; setsid sleep {marker}1 & (sleep {marker}2 &) ; sleep {marker}3", seconds=1.5)
    assert (done.limit, done.timed_out, done.returncode, done.output) == ("seconds", True, -1, b"early\n")
    assert [line.split()[-1] for line in host_processes(marker)] == [f"{marker}0"]
    assert desk.text("echo next") == "next\n"


def test_children_that_a_service_starts_meanwhile_belong_to_it(desk: Box, marker: str) -> None:
    desk.run(f"(until test -e go; do sleep 0.02; done; sleep {marker}) &")
    assert desk.run(f"touch go; until grep -qs {marker} /proc/[0-9]*/cmdline; do sleep 0.02; done; sleep 60",
                    seconds=3).timed_out  # fmt: skip
    assert len([line for line in host_processes(marker) if ": sleep" in line]) == 1


@pytest.mark.parametrize("padding", ["", "x" * 120_000], ids=["short", "long"])
def test_commands_behave_as_in_a_sandbox_for_one(desk: Box, padding: str) -> None:
    comment = f": {padding}\n"
    assert desk.run(f"{comment}cat; echo $0 $#; exit 7").output == b"bash 0\n"
    codes = {"exit 7": 7, "kill -9 $$": 137, "if": 2, "kill -9 1; exit 4": 4}
    assert {text: desk.run(f"{comment}{text}").returncode for text in codes} == codes
    assert desk.run(f"{comment}export LEFT=1; cd /; set -e; trap 'echo bye' EXIT").output == b"bye\n"
    assert desk.run("pwd; echo $LEFT.").output == b"/testbed\n.\n"
    assert desk.run(f"{comment}  printf ' a\\n\\n'\n\n").output == b" a\n\n"
    assert desk.run(f"{comment}seq 100000").output.split()[-1] == b"100000"


def test_a_command_has_no_descriptor_but_the_three(desk: Box) -> None:
    code = "import os; print(sorted(int(name) for name in os.listdir('/proc/self/fd')))"
    assert desk.text(f'exec python3 -c "{code}"').strip() == "[0, 1, 2, 3]"  # the last is the folder's own


def test_what_services_say_is_nobodys_output_and_does_not_block_them(desk: Box) -> None:
    desk.run("(for i in $(seq 60000); do echo noise; done; touch finished; sleep 600) &")
    until(lambda: "finished" in os.listdir(desk.mounts.upper or ""))
    assert desk.run("echo quiet").output == b"quiet\n"


def test_limits_hold_for_commands(box_folder: Path, marker: str) -> None:
    box = lasting(box_folder, Limits(seconds=30, memory_bytes=160 * MB, disk_bytes=24 * MB, processes=40))
    try:
        box.run(f"sleep {marker} &")
        hog = "b = bytearray(b'x') * (300 << 20); import time; time.sleep(60)"
        assert box.run(f'python3 -c "{hog}"').limit == "memory"
        assert box.run("fallocate -x -l 20M a; fallocate -x -l 20M b").limit == "disk"
        assert box.run("rm a b").limit is None
        assert len(host_processes(marker)) == 1
        assert b"Resource temporarily" in box.run("for i in $(seq 80); do sleep 1 & done; wait").output
    finally:
        box.sandbox.stop()


def test_a_limit_that_a_service_exceeds_between_commands_is_an_outcome(box_folder: Path, marker: str) -> None:
    box = lasting(box_folder, Limits(seconds=30, memory_bytes=160 * MB))
    try:
        code = "import time; time.sleep(1); b = bytearray(b'x') * (300 << 20); time.sleep(600)"
        assert box.run(f"echo kept > kept; sleep {marker} & python3 -c \"{code}\" & true").limit is None
        until(lambda: host_processes(marker) == [])
        done = box.run("touch never")
        assert (done.limit, done.returncode, done.output) == ("memory", -1, b"")
        assert box.text("ls") == "kept\n"
    finally:
        box.sandbox.stop()


@pytest.mark.parametrize("when", ["between commands", "during a command"])
def test_a_killed_sandbox_is_lost_and_never_output(desk: Box, marker: str, when: str) -> None:
    sandbox = desk.sandbox
    assert isinstance(sandbox, BubblewrapSandbox) and sandbox._lasting is not None
    first = sandbox._lasting._first()
    desk.run(f"sleep {marker} &")
    killer = threading.Timer(0.4, os.kill, (first, signal.SIGKILL))
    killer.start()
    if when == "between commands":
        killer.join()
        until(lambda: host_processes(marker) == [])
    with pytest.raises(SandboxLost):
        desk.run("echo said; sleep 20")
    killer.join()
    assert host_processes(marker) == []
    with pytest.raises(SandboxLost):
        desk.run("echo again")


def test_processes_stand_still_while_the_layer_is_read(desk: Box) -> None:
    desk.run("(while :; do echo x >> file; done) &")
    file = (desk.mounts.upper or Path()) / "file"
    until(file.exists)
    with desk.sandbox.paused():  # type: ignore[attr-defined]
        size = file.stat().st_size
        time.sleep(0.3)
        assert file.stat().st_size == size
    until(lambda: file.stat().st_size > size)


def test_nothing_outlives_a_harness_that_is_killed(box_folder: Path, marker: str) -> None:
    code = f"""
import sys
from pathlib import Path
from test_lifetime_attempt import lasting
box = lasting(Path(sys.argv[1]))
box.run("setsid sleep {marker} &")
print("ready", flush=True)
input()
"""
    path = os.pathsep.join([str(PROJECT), str(PROJECT / "tests" / "support"), str(Path(__file__).parent)])
    path += os.pathsep + os.environ.get("PYTHONPATH", "")
    process = subprocess.Popen(
        [sys.executable, "-c", code, str(box_folder)], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
        env=os.environ | {"PYTHONPATH": path},
    )  # fmt: skip
    assert process.stdout and process.stdout.readline() == b"ready\n"
    until(lambda: [line for line in host_processes(marker) if ": sleep" in line])
    process.kill()
    process.communicate()
    until(lambda: host_processes(marker) == [])


def test_fifty_commands_leak_nothing(box_folder: Path) -> None:
    def found() -> tuple[object, ...]:
        mounts = Path("/proc/self/mountinfo").read_text().splitlines()
        return set(os.listdir("/proc/self/fd")), children(os.getpid()).keys(), threading.active_count(), len(mounts)

    box = lasting(box_folder)
    box.sandbox.stop()
    before = found()
    box.sandbox.start(box.mounts, Limits(seconds=20), "attempt")
    box.run("true")
    during = found()
    for number in range(50):
        box.run(("true", "sleep 0.01 & exit 1", "seq 1000", f": {'x' * 120_000}")[number % 4])
    until(lambda: box.run("true") and found() == during)
    box.sandbox.stop()
    assert found() == before


def test_the_thread_that_started_it_may_end(box_folder: Path, marker: str) -> None:
    boxes: list[Box] = []
    thread = threading.Thread(target=lambda: boxes.append(lasting(box_folder)))
    thread.start()
    thread.join()
    boxes[0].run(f"sleep {marker} &")
    time.sleep(0.3)
    assert len(host_processes(marker)) == 1
    boxes[0].sandbox.stop()
