"""Probes of processes: those of the host are out of sight, those of a command end with it."""

from __future__ import annotations

import os
import signal
import threading
import time
from pathlib import Path

from harness.sandbox.interface import Result, SandboxLost
from harness.sandbox.selfcheck.probe import ROOMY, Finding, Probe, by_words
from harness.sandbox.selfcheck.scene import Scene


def alive_with(word: str) -> list[int]:
    """Processes of this machine whose command line holds ``word``."""
    found = []
    for name in os.listdir("/proc"):
        if name.isdigit():
            try:
                if word.encode() in Path("/proc", name, "cmdline").read_bytes():
                    found.append(int(name))
            except OSError:
                continue
    return found


def _end_all(word: str) -> None:
    for pid in alive_with(word):
        try:
            os.kill(pid, signal.SIGKILL)
        except OSError:
            continue


def _bystander_lives(scene: Scene, result: Result) -> Finding:
    if not scene.bystander.alive:
        return Finding("got through", "a process of the host was killed")
    return by_words(scene, result)


def _nothing_left(scene: Scene, result: Result) -> Finding:
    """The command returned; the host looks for what it started."""
    left = alive_with(f"left-{scene.nonce}")
    _end_all(f"left-{scene.nonce}")
    return Finding("got through", f"{len(left)} processes outlived the command") if left else by_words(scene, result)


def _ended_in_time(scene: Scene, result: Result) -> Finding:
    left = alive_with(f"late-{scene.nonce}")
    _end_all(f"late-{scene.nonce}")
    if left:
        return Finding("got through", "the processes of a command that timed out live on")
    if not result.timed_out or scene.nonce.encode() not in result.output:
        return Finding("got through", f"no time limit was reported (exit {result.returncode}), or its output is lost")
    return Finding("refused", f"ended after {result.seconds:.1f} s, with the output so far")


def _first_process(scene: Scene, result: Result) -> Finding:
    """The sandbox may survive, or be lost and say so (``SandboxLost``); it may not pass its death off as a result."""
    if scene.nonce.encode() + b" end" in result.output or result.timed_out:
        return by_words(scene, result)
    return Finding("got through", f"the death of the sandbox was passed off as exit {result.returncode}")


def _first_process_check(scene: Scene) -> Finding:
    try:
        return _first_process(scene, scene.run(_KILL_FIRST, seconds=5))
    except SandboxLost:
        scene.drop()
        return Finding("refused", "the sandbox was lost, and said so")


_KILL_FIRST = """
def kill_first(number):
    if os.readlink("/proc/self/ns/pid") == V["pidns"]:
        return "the first process is the host's (no signal was sent)"
    if os.getpid() != 1:
        os.kill(1, number)
    time.sleep(0.05)
for number in (signal.SIGTERM, signal.SIGSEGV, signal.SIGKILL):
    tried("signal %d" % number, lambda: kill_first(number))
"""


def _lost_is_detected(scene: Scene) -> Finding:
    """The host kills the first process of a running sandbox's pid namespace, as an out-of-memory killer would."""
    word = f"victim-{scene.nonce}"
    victim: list[int] = []

    def kill() -> None:
        deadline = time.monotonic() + 5
        while not victim and time.monotonic() < deadline:
            found = [pid for pid in alive_with(word) if _inner_pid(pid) is not None]
            if found:
                victim.append(_first_of_namespace(found[0]))
            time.sleep(0.02)
        if victim:
            os.kill(victim[0], signal.SIGKILL)

    started = scene.fresh(ROOMY)
    thread = threading.Thread(target=_quietly, args=(kill,))
    thread.start()
    try:
        result = started.sandbox.run(f"exec -a {word} sleep 8")
    except SandboxLost as lost:
        return Finding("refused", f"detected: {lost}")
    finally:
        thread.join()
        scene.drop()
        _end_all(word)
    if not victim:
        if alive_with(word) or result.returncode == 0:
            return Finding("not applicable", "commands have no pid namespace of their own that could be killed")
        return Finding("undecided", f"no process of the sandbox was found (exit {result.returncode})")
    return Finding("got through", f"a killed sandbox was read as exit {result.returncode}")


def _quietly(function: object) -> None:
    try:
        function()  # type: ignore[operator]
    except (OSError, ValueError):
        return


def _inner_pid(pid: int) -> int | None:
    """The pid in the process's own namespace, if that is not the host's."""
    try:
        if os.readlink(f"/proc/{pid}/ns/pid") == os.readlink("/proc/self/ns/pid"):
            return None
        for line in Path(f"/proc/{pid}/status").read_text().splitlines():
            if line.startswith("NSpid:"):
                return int(line.split()[-1])
    except OSError:
        pass
    return None


def _first_of_namespace(pid: int) -> int:
    """The ancestor of ``pid`` that is the first process of its namespace."""
    while _inner_pid(pid) != 1:
        pid = int(Path(f"/proc/{pid}/stat").read_text().rpartition(") ")[2].split()[1])
        if pid <= 1:
            raise ValueError("no first process")
    return pid


PROBES = (
    Probe(
        "processes.see", "see a process of the host in /proc",
        """
def seen():
    for number in [name for name in os.listdir("/proc") if name.isdigit()]:
        try:
            if V["bystander"][::-1].encode() in open("/proc/%s/cmdline" % number, "rb").read():
                return "process " + number
        except OSError:
            continue
tried("cmdline", seen)
""",
    ),
    Probe(
        "processes.kill", "kill a process of the host that runs under the sandbox's own uid",
        "tried('kill', lambda: os.kill(V['pid'], signal.SIGKILL) or time.sleep(0.1))", judge=_bystander_lives,
    ),
    Probe(
        "processes.trace", "attach to a process of the host, read its memory (ptrace, process_vm_readv)",
        """
def attach():
    try:
        return call(101, 117, 0x4206, V["pid"], 0, 0) == 0
    finally:
        libc.ptrace(17, V["pid"], 0, 0)
tried("ptrace", attach)
buffer = ctypes.create_string_buffer(8)
vector = struct.pack("QQ", ctypes.addressof(buffer), 8)
tried("process_vm_readv", lambda: call(310, 270, V["pid"], vector, 1, vector, 1, 0) == 8)
tried("/proc/PID/mem", lambda: os.open("/proc/%d/mem" % V["pid"], os.O_RDWR))
""",
    ),
    Probe(
        "processes.descriptors", "take a descriptor from a process of the host (pidfd_getfd)",
        "tried('pidfd_getfd', lambda: call(438, 438, call(434, 434, V['pid'], 0), 0, 0))",
    ),
    Probe(
        "processes.namespaces", "share the host's namespaces of mounts, pids, network, IPC or host names",
        """
for name, outside in sorted(V["namespaces"].items()):
    tried(name, lambda: os.readlink("/proc/self/ns/" + name) == outside)
""",
    ),
    Probe("processes.kill-first", "kill the sandbox's own first process", check=_first_process_check),
    Probe(
        "processes.rewrite-first", "rewrite the first process's memory, or take its report, so that its end looks lost",
        """
def opened(place, how):
    return os.getpid() != 1 and os.open(place, how) >= 0
tried("mem", lambda: opened("/proc/1/mem", os.O_RDWR))
tried("task", lambda: opened("/proc/1/task/1/mem", os.O_RDWR))
for number in range(3, 20):
    tried("fd %d" % number, lambda: opened("/proc/1/fd/%d" % number, os.O_RDONLY | os.O_NONBLOCK))
""",
    ),
    Probe(
        "processes.survive-session", "leave a process behind in a session of its own",
        """
import subprocess
subprocess.Popen(["bash", "-c", "exec -a left-%s sleep 60" % V["nonce"]], start_new_session=True)
time.sleep(0.1)
tried("left", lambda: None)
""",
        judge=_nothing_left,
    ),
    Probe(
        "processes.survive-daemon", "leave a daemon behind: forked twice, no descriptor shared, all signals ignored",
        """
if os.fork() == 0:
    os.setsid()
    if os.fork() == 0:
        os.closerange(0, 256)
        for number in range(1, 65):
            try:
                signal.signal(number, signal.SIG_IGN)
            except (OSError, ValueError):
                pass
        os.execv("/bin/bash", ["bash", "-c", "exec -a left-%s sleep 60" % V["nonce"]])
    os._exit(0)
time.sleep(0.1)
tried("left", lambda: None)
""",
        judge=_nothing_left,
    ),
    Probe(
        "processes.outlive-timeout", "go on after the time limit: children in own sessions, TERM ignored",
        """
import subprocess
say("began")
subprocess.Popen(["bash", "-c", "trap '' TERM HUP INT; exec -a late-%s sleep 60" % V["nonce"]], start_new_session=True)
signal.signal(signal.SIGTERM, signal.SIG_IGN)
time.sleep(60)
""",
        judge=_ended_in_time, seconds=0.7,
    ),
    Probe(
        "processes.lost", "pass off the death of the sandbox as the command's own end", check=_lost_is_detected,
    ),
)  # fmt: skip
