"""What a command in a container gets, gives back, and cannot outlive."""

from __future__ import annotations

import secrets
import time
from pathlib import Path

import pytest
from boxes import Box, host_processes, make_box

from harness.sandbox.interface import Limits, SandboxLost
from harness.workspace.layer import LayerReader


@pytest.fixture
def marker() -> str:
    return f"600.{secrets.randbelow(10**9):09d}"


def test_output_status_and_input(box: Box) -> None:
    done = box.run("read x; echo [$x]; cat given; printf '\\xfe\\r\\n' >&2; exit 7")
    assert (done.returncode, done.output, done.limit, done.background_left) == (7, b"[]\ngiven\n\xfe\r\n", None, False)


def test_output_that_comes_at_once_is_never_lost(box: Box) -> None:
    assert [box.run("echo at once").output for _ in range(30)] == [b"at once\n"] * 30


def test_a_command_longer_than_an_argument_may_be(box: Box) -> None:
    done = box.run(f"x={'a' * 200_000}; echo ${{#x}} $#")
    assert (done.returncode, done.output) == (0, b"200000 0\n")


def test_the_users_own_python_and_packages(box: Box) -> None:
    assert box.text("python3 -c 'import sys; print(6 * 7, sys.prefix == sys.base_prefix)'") == "42 True\n"
    assert box.run("python3 -c 'import docker'").returncode == 1


def test_T01_a_timed_out_commands_processes_are_gone(box: Box, marker: str) -> None:
    done = box.run(f"echo before; setsid sleep {marker} & sleep {marker}", seconds=0.5)
    assert (done.timed_out, done.limit, done.output) == (True, "seconds", b"before\n")
    assert host_processes(marker) == []
    assert box.run("echo still here").output == b"still here\n"


@pytest.mark.parametrize("command", ["sleep {0} & echo hi", "setsid sleep {0} & echo hi", "(sleep {0} &) ; echo hi"])
def test_background_processes_do_not_delay_the_return(box: Box, marker: str, command: str) -> None:
    done = box.run(command.format(marker), seconds=30)
    assert (done.returncode, done.output, done.background_left) == (0, b"hi\n", True)
    assert done.seconds < 15 and host_processes(marker) == []


def test_a_file_is_not_written_after_the_timeout(box: Box) -> None:
    box.run("sleep 1; echo late > late", seconds=0.3)
    time.sleep(1.5)
    assert box.run("test -e late").returncode == 1


def test_a_command_that_kills_all_it_can_is_an_outcome(box: Box, marker: str) -> None:
    done = box.run(f"sleep {marker} & kill -9 -1; sleep {marker}", seconds=20)
    assert done.limit is None and done.returncode == 137
    assert host_processes(marker) == [] and box.run("echo alive").output == b"alive\n"


def test_a_fork_bomb_is_held_and_cleared(box_folder: Path) -> None:
    box = make_box(box_folder, limits=Limits(seconds=20, processes=40), kind="docker")
    try:
        box.run("f() { f | f & }; f; sleep 1", seconds=3)
        assert box.run("echo $(ls /proc | grep -c '^[0-9]')").output.strip() in (b"5", b"6", b"7")
    finally:
        box.sandbox.stop()


def test_T15_three_ways_to_137(box_folder: Path) -> None:
    box = make_box(box_folder, limits=Limits(seconds=30, memory_bytes=96 << 20), kind="docker")
    try:
        by_itself = box.run("exit 137")
        assert (by_itself.returncode, by_itself.limit) == (137, None)
        by_memory = box.run("python3 -c 'x = bytearray(10**9)'; tail /dev/zero")
        assert (by_memory.returncode, by_memory.limit) == (-1, "memory")
        assert box.run("echo goes on").output == b"goes on\n"
        _kill_from_outside(box)
        with pytest.raises(SandboxLost):
            box.run("echo never")
    finally:
        box.sandbox.stop()


def test_T13_T16_a_container_that_ends_under_a_command_is_lost_not_answered(box: Box) -> None:
    import threading

    thread = threading.Timer(0.7, _kill_from_outside, (box,))
    thread.start()
    with pytest.raises(SandboxLost):
        # Many processes: the container is long in ending, and the command ends first.
        box.run("for n in $(seq 100); do sleep 60 & done; sleep 30; echo not agent output")
    thread.join()


def _kill_from_outside(box: Box) -> None:
    from harness.sandbox.docker.engine import client

    client().api.kill(box.sandbox._container.id)  # type: ignore[attr-defined]
    time.sleep(0.5)


def test_disk_is_watched_even_when_the_command_is_quick(box_folder: Path) -> None:
    box = make_box(box_folder, limits=Limits(seconds=30, disk_bytes=8 << 20), kind="docker")
    try:
        assert box.run("for i in 1 2 3; do head -c 6000000 /dev/zero > f$i; done").limit == "disk"
        assert box.run("rm -f f*; echo ok").output == b"ok\n"
    finally:
        box.sandbox.stop()


def test_output_is_capped_and_marked(box_folder: Path) -> None:
    box = make_box(box_folder, limits=Limits(seconds=30, output_bytes=1000), kind="docker")
    try:
        exact, over = box.run("head -c 1000 /dev/zero"), box.run("head -c 1001 /dev/zero")
        assert (exact.truncated_bytes, over.truncated_bytes) == (0, 1) and b"1 bytes of output dropped" in over.output
        flood = box.run("yes | head -c 50000000")
        assert flood.truncated_bytes == 50_000_000 - 1000
    finally:
        box.sandbox.stop()


def test_the_layer_is_what_the_command_changed(box: Box) -> None:
    box.text("rm given; mkdir -p d; echo x > d/é; ln -s /etc/passwd link; echo s > run.sh; chmod +x run.sh")
    manifest = LayerReader(str(box.mounts.upper), {}).read().manifest
    assert set(manifest) >= {"d", "link", "run.sh"} and manifest["run.sh"].mode & 0o111


def test_what_the_kernel_is_asked_not_to_do(box: Box) -> None:
    code = """
import ctypes, socket, os
libc = ctypes.CDLL(None, use_errno=True)
def fails(call): return call() == -1
assert fails(lambda: libc.unshare(0x10000000)), 'user namespace'
assert fails(lambda: libc.mount(b'none', b'/mnt', b'tmpfs', 0, None)), 'mount'
assert fails(lambda: libc.ptrace(16, 1, 0, 0)), 'ptrace'
for family in (40, 38, 31, 17):
    try:
        socket.socket(family, socket.SOCK_STREAM); raise SystemExit(f'family {family}')
    except OSError:
        pass
assert not [n for n in os.listdir('/sys/class/net') if n != 'lo'] and os.getuid() != 0
for place in ('/usr/x', '/etc/x', '/x', '/opt/bin/x', '/run/command/x'):
    try:
        open(place, 'w'); raise SystemExit(place)
    except OSError:
        pass
status = open('/proc/self/status').read()
assert 'CapEff:\\t0000000000000000' in status and 'NoNewPrivs:\\t1' in status and 'Seccomp:\\t2' in status
print('held')
"""
    assert box.python(code) == "held\n"
