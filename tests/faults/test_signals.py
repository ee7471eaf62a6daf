"""Ctrl-C once and twice, a terminal that closes, a service manager that stops every process at once."""

from __future__ import annotations

import os
import pty
import signal
import subprocess
import sys
import time

import pytest
import victims
from aftermath import excluded, exported, faults_after, faults_of_folders, running_tries, undisturbed
from disturbed import Starter
from tiny_lab import TinyLab

from harness.engines.worker import leave_signals_to_the_controller

pytestmark = pytest.mark.needs_bwrap


def resumes(lab: TinyLab, wanted: list[dict[str, str]]) -> list[dict[str, str]]:
    """Lets the same command finish; the rows of the tries that were lost."""
    done = lab.run("collect", "tiny")
    assert done.returncode == 0, done.stdout + done.stderr
    assert faults_after(lab, wanted) == []
    return excluded(exported(lab))


@pytest.mark.parametrize(
    "number", [signal.SIGINT, *(pytest.param(one, marks=pytest.mark.slow) for one in (signal.SIGTERM, signal.SIGHUP))]
)
def test_a_signal_to_the_group_ends_it_cleanly(frozen: TinyLab, start: Starter, number: signal.Signals) -> None:
    wanted = undisturbed(frozen)
    started = start(frozen, "collect", "tiny")
    started.await_worker()
    os.killpg(started.process.pid, number)
    code, said = started.end()
    assert code == 130, said
    assert "interrupted" in said
    assert running_tries(frozen) == {}
    assert faults_of_folders(frozen) == []
    assert victims.left_over(set()) == []
    lost = resumes(frozen, wanted)
    assert lost
    assert {row["exclusion"] for row in lost} == {"interrupted"}


@pytest.mark.slow
@pytest.mark.parametrize("pause", [0.0, 0.05, 0.3])
def test_a_second_interrupt_during_cleanup_orphans_nothing(frozen: TinyLab, start: Starter, pause: float) -> None:
    wanted = undisturbed(frozen)
    started = start(frozen, "collect", "tiny")
    started.await_worker()
    os.killpg(started.process.pid, signal.SIGINT)
    time.sleep(pause)
    os.killpg(started.process.pid, signal.SIGINT)
    code, said = started.end()
    assert code == 130, said
    assert running_tries(frozen) == {}
    assert faults_of_folders(frozen) == []
    assert victims.left_over(set()) == []
    assert {row["exclusion"] for row in resumes(frozen, wanted)} == {"interrupted"}


@pytest.mark.slow
def test_every_process_at_once_as_a_service_manager_does(frozen: TinyLab, start: Starter) -> None:
    wanted = undisturbed(frozen)
    started = start(frozen, "collect", "tiny")
    started.await_worker()
    os.kill(started.process.pid, signal.SIGTERM)
    for one in victims.descendants(started.process.pid):
        try:
            os.kill(one.pid, signal.SIGTERM)
        except ProcessLookupError:
            continue
    code, said = started.end()
    assert code == 130, said
    assert {row["exclusion"] for row in resumes(frozen, wanted)} <= {"interrupted"}


@pytest.mark.slow
def test_under_nohup_a_hang_up_changes_nothing(frozen: TinyLab, start: Starter) -> None:
    wanted = undisturbed(frozen)
    started = start(frozen, "collect", "tiny", before=("nohup",))
    started.await_worker()
    os.killpg(started.process.pid, signal.SIGHUP)
    code, said = started.end()
    assert code == 0, said
    assert faults_after(frozen, wanted) == []
    assert excluded(exported(frozen)) == []


@pytest.mark.slow
def test_a_terminal_that_closes_ends_it_cleanly(frozen: TinyLab) -> None:
    wanted = undisturbed(frozen)
    with victims.adopting():
        pid, terminal = pty.fork()
        if pid == 0:
            os.chdir(frozen.root)
            os.execve(frozen.command("collect", "tiny")[0], frozen.command("collect", "tiny"), frozen.environment)
        deadline = time.monotonic() + 60
        while not any(victims.open_trajectory(one.pid) for one in victims.workers(pid)):
            assert time.monotonic() < deadline
            os.set_blocking(terminal, False)
            try:
                os.read(terminal, 1 << 16)
            except BlockingIOError:
                time.sleep(0.01)
        os.close(terminal)
        os.waitpid(pid, 0)
        assert victims.left_over(set()) == []
    assert running_tries(frozen) == {}
    assert {row["exclusion"] for row in resumes(frozen, wanted)} == {"interrupted"}


def test_output_that_nobody_reads_ends_no_collection(frozen: TinyLab) -> None:
    wanted = undisturbed(frozen)
    # Buffered, as output to a pipe is: what could not be written stays, and the next flush, anybody's, fails too.
    environment = {name: value for name, value in frozen.environment.items() if name != "PYTHONUNBUFFERED"}
    reading, writing = os.pipe()
    os.close(reading)
    with open(writing, "wb") as out:
        subprocess.run(
            frozen.command("collect", "tiny"), env=environment, cwd=frozen.root, stdout=out,
            stderr=subprocess.DEVNULL, timeout=120,
        )  # fmt: skip
    assert faults_after(frozen, wanted) == []
    assert excluded(exported(frozen)) == []


def test_programs_in_a_sandbox_start_with_the_usual_signals() -> None:
    """What a worker ignored, every program that an agent starts would ignore too."""
    code = "import signal; print([signal.getsignal(n) == signal.SIG_DFL for n in (15, 1)], signal.getsignal(2))"
    found = subprocess.run(
        [sys.executable, "-c", f"import subprocess, sys; sys.path.insert(0, {os.getcwd()!r})\n"
         f"from {leave_signals_to_the_controller.__module__} import leave_signals_to_the_controller as leave\nleave()\n"
         f"subprocess.run(['python3', '-c', {code!r}])"],
        capture_output=True, text=True, env=os.environ,
    )  # fmt: skip
    assert found.stdout.startswith("[True, True] <built-in function default_int_handler>"), found.stdout + found.stderr
