"""Workers that hang, die idle, or fail: each costs its own try, and the batch goes on."""

from __future__ import annotations

import os
import resource
import signal
import threading
import time
from pathlib import Path
from typing import Any

import pytest
import victims
from aftermath import counted, excluded, exported, faults_after, undisturbed
from disturbed import Starter
from tiny_lab import TinyLab

from harness.engines import hung
from harness.engines.local import Answer, LocalEngine

pytestmark = pytest.mark.needs_bwrap


def answer_of(engine: LocalEngine) -> Answer:
    deadline = time.monotonic() + 60
    while time.monotonic() < deadline:
        for answer in engine.answers(0.2):
            return answer
    raise AssertionError("no answer")


def test_a_hung_worker_is_killed_and_its_try_excluded(frozen: TinyLab, monkeypatch: pytest.MonkeyPatch) -> None:
    from harness.collection.collect import Collection
    from harness.collection.terms import Options

    limits = {**_limits(), "wall_seconds": 30, "command_seconds": 1}
    frozen.write_stage("hung", limits=limits, retry={"max_tries": 1, "wait_seconds_max": 0})
    frozen.run("freeze", "hung")
    for name, value in frozen.environment.items():
        if name.startswith(("RESTARTLAB_", "XDG_")):
            monkeypatch.setenv(name, value)
    monkeypatch.setattr(hung, "MARGIN_SECONDS", -21.0)
    stopped: list[int] = []

    def stop_one() -> None:
        while not stopped:
            for one in victims.workers(os.getpid()):
                if victims.open_trajectory(one.pid):
                    os.kill(one.pid, signal.SIGSTOP)
                    stopped.append(one.pid)
                    return
            time.sleep(0.01)

    thread = threading.Thread(target=stop_one)
    thread.start()
    summary = Collection(Options("hung", frozen.state / "restartlab.db", workers=2), _Silent()).run()
    thread.join()
    assert summary.excluded == {"worker_hung": 1}
    assert summary.remaining == 0
    rows = exported(frozen, "hung")
    assert [row["exclusion"] for row in excluded(rows)] == ["worker_hung"]
    assert len(counted(rows)) == 4


class _Silent:
    def __getattr__(self, name: str) -> Any:
        return lambda *_: None


def _limits() -> dict[str, Any]:
    from tiny_lab import stage_data

    return dict(stage_data()["limits"])  # type: ignore[call-overload]


def test_an_idle_worker_that_was_killed_takes_no_job_along(in_lab: TinyLab) -> None:
    with LocalEngine(1) as engine:
        for number in range(3):
            engine.submit(number, ("gate", ("no-such-task", "bubblewrap")))
            answer = answer_of(engine)
            assert (answer.key, answer.ok) == (number, False)
            assert answer.failure is not None
            assert "no-such-task" in answer.failure.detail
            for worker in victims.workers(os.getpid()):
                os.kill(worker.pid, signal.SIGKILL)


@pytest.mark.slow
def test_a_worker_without_memory_costs_one_try(frozen: TinyLab, start: Starter) -> None:
    wanted = undisturbed(frozen)
    started = start(frozen, "collect", "tiny")
    pid = started.await_worker()
    held = int(Path(f"/proc/{pid}/statm").read_text().split()[0]) * resource.getpagesize()
    resource.prlimit(pid, resource.RLIMIT_AS, (held, held))
    code, said = started.end()
    assert code in (0, 1), said
    done = frozen.run("collect", "tiny")
    assert done.returncode == 0, done.stdout + done.stderr
    assert faults_after(frozen, wanted) == []
    assert len(excluded(exported(frozen))) <= 2


@pytest.mark.slow
@pytest.mark.parametrize("first", [False, True], ids=["bwrap", "its-first-process"])
@pytest.mark.parametrize("verifier", [False, True], ids=["agent", "verifier"])
def test_a_killed_sandbox_is_a_lost_try_and_never_output(
    frozen: TinyLab, start: Starter, first: bool, verifier: bool
) -> None:
    wanted = undisturbed(frozen)
    started = start(frozen, "collect", "tiny", "--workers", "1")
    killed = 0
    while started.process.poll() is None and killed < 3:
        for one in victims.sandboxes(started.process.pid, verifier=verifier):
            pid = victims.first_inside(one.pid) if first else one.pid
            try:
                if pid:
                    os.kill(pid, signal.SIGKILL)
                    killed += 1
                    break
            except ProcessLookupError:
                continue
    code, said = started.end()
    assert killed
    if code:
        done = frozen.run("collect", "tiny")
        assert done.returncode == 0, said + done.stdout + done.stderr
    assert faults_after(frozen, wanted) == []
    assert {row["exclusion"] for row in excluded(exported(frozen))} <= {"sandbox_lost", "verifier_failure"}
