"""Resuming and storing: inputs that broke other harnesses."""

from __future__ import annotations

import json
import math
import os
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest
import victims
from aftermath import counted, database, excluded, exported, faults_after, faults_of_rows, running_tries, undisturbed
from disturbed import Starter, wait_for
from tiny_lab import TinyLab, stage_data

from harness.recorder import read_trajectory


@pytest.mark.slow
@pytest.mark.needs_bwrap
def test_T07_interrupts_leave_no_try_running_and_no_process(frozen: TinyLab, start: Starter) -> None:
    wanted = undisturbed(frozen)
    started = start(frozen, "collect", "tiny", "--workers", "3")
    started.await_worker()
    before = running_tries(frozen)
    assert before
    os.killpg(started.process.pid, signal.SIGINT)
    time.sleep(0.05)
    os.killpg(started.process.pid, signal.SIGINT)  # during cleanup
    code, said = started.end()
    assert code == 130, said
    assert running_tries(frozen) == {}
    assert victims.left_over(set()) == []
    rows = exported(frozen)
    assert {row["exclusion"] for row in excluded(rows)} == {"interrupted"}
    assert len(rows) <= 4  # no new attempts after the first interrupt
    assert frozen.run("collect", "tiny").returncode == 0
    assert faults_after(frozen, wanted) == []


@pytest.mark.slow
@pytest.mark.needs_bwrap
def test_T08_the_next_start_ends_what_a_killed_one_left(frozen: TinyLab, start: Starter) -> None:
    """Workspaces and, should one have outlived its worker, a sandbox on them; nothing of others."""
    started = start(frozen, "collect", "tiny", "--workers", "1")
    worker = started.await_worker()
    started.process.kill()
    started.end()
    wait_gone(worker)
    (left,) = [path for path in (frozen.state / "work").iterdir() if path.is_dir()]
    orphan, bystander = _sleeper(str(left)), _sleeper("another-folder")
    try:
        assert frozen.run("collect", "tiny").returncode == 0
        assert orphan.wait(timeout=10) == -signal.SIGKILL
        assert bystander.poll() is None
        assert not left.exists()
    finally:
        for process in (orphan, bystander):
            process.kill()
            process.wait()


def _sleeper(word: str) -> subprocess.Popen[bytes]:
    """A process whose command line looks like that of a sandbox on ``word``."""
    return subprocess.Popen([sys.executable, "-c", "import time; time.sleep(600)", "--die-with-parent", word])


def wait_gone(pid: int) -> None:
    """Waits until a killed process is no more."""
    deadline = time.monotonic() + 20
    while Path(f"/proc/{pid}").exists() and time.monotonic() < deadline:
        time.sleep(0.01)


@pytest.mark.slow
@pytest.mark.needs_bwrap
def test_T10_T11_two_runs_of_one_task_at_once_do_not_touch_each_other(frozen: TinyLab, start: Starter) -> None:
    wanted = undisturbed(frozen)
    other = {"RESTARTLAB_STATE": str(frozen.root / "state2")}
    here, there = start(frozen, "collect", "tiny", "--workers", "2"), start(frozen, "collect", "tiny", **other)
    here.await_worker()
    here.process.kill()
    assert frozen.run("collect", "tiny").returncode == 0  # cleans up, while the other's sandboxes run
    assert there.end()[0] == 0
    assert excluded(exported(frozen, **other)) == []
    assert counted(exported(frozen, **other)) == wanted
    assert faults_after(frozen, wanted) == []


@pytest.mark.needs_bwrap
def test_T21_a_worker_that_cannot_end_holds_nobody_up(frozen: TinyLab, start: Starter) -> None:
    """A stopped process answers no polite signal; the interrupt ends it all the same."""
    started = start(frozen, "collect", "tiny", "--workers", "2")
    os.kill(started.await_worker(), signal.SIGSTOP)
    os.kill(started.process.pid, signal.SIGINT)
    code, said = started.end()
    assert code == 130, said
    assert victims.left_over(set()) == []
    assert running_tries(frozen) == {}


@pytest.mark.slow
@pytest.mark.needs_bwrap
def test_T24_one_bad_attempt_does_not_end_the_batch(in_lab: TinyLab, monkeypatch: pytest.MonkeyPatch) -> None:
    """A result that the store refuses, an answer that is none: each costs its own try."""
    from harness.collection.collect import Collection
    from harness.collection.terms import Options
    from harness.engines.local import LocalEngine
    from harness.store.records import TryResult

    in_lab.write_stage()
    assert in_lab.run("freeze", "tiny").returncode == 0
    seen: list[Any] = []
    answers = LocalEngine.answers

    def spoiled(self: LocalEngine, seconds: float) -> Any:
        for answer in answers(self, seconds):
            if isinstance(answer.result, TryResult):
                seen.append(answer)
                if len(seen) == 1:
                    object.__setattr__(answer.result, "outcome", {"odd": math.nan})
                elif len(seen) == 2:
                    object.__setattr__(answer.result, "calls", 10_000)
            yield answer

    monkeypatch.setattr(LocalEngine, "answers", spoiled)
    summary = Collection(Options("tiny", in_lab.state / "restartlab.db", workers=2), _Silent()).run()
    assert (summary.ran, dict(summary.excluded), summary.remaining) == (2, {"harness_failure": 2}, 2)
    monkeypatch.undo()
    for name, value in in_lab.environment.items():
        if name.startswith("RESTARTLAB_"):
            monkeypatch.setenv(name, value)
    wanted = undisturbed(in_lab)
    assert in_lab.run("collect", "tiny").returncode == 0
    assert faults_after(in_lab, wanted) == []


class _Silent:
    def __getattr__(self, name: str) -> Any:
        return lambda *_: None


@pytest.mark.needs_bwrap
def test_T35_a_killed_attempt_leaves_its_trajectory_up_to_the_last_action(frozen: TinyLab, start: Starter) -> None:
    started = start(frozen, "collect", "tiny", "--workers", "1")
    started.await_worker()
    (path,) = (frozen.state / "tries").glob("*.jsonl")
    wait_for(lambda: path.exists() and b'"type": "action"' in path.read_bytes(), started.process)
    os.killpg(started.process.pid, signal.SIGKILL)
    started.end()
    kept = path.read_bytes()
    assert b'"type": "action"' in kept
    assert frozen.run("collect", "tiny", "--limit", "1").returncode == 0
    with database(frozen) as connection:
        digest, calls = connection.execute("SELECT trajectory, calls FROM tries WHERE NOT valid").fetchone()
    from harness.store.blobs import Blobs

    assert Blobs(frozen.state / "blobs").get(digest).startswith(kept)
    assert calls == max(line["call"] for line in read_trajectory(kept) if line["type"] == "call")


@pytest.mark.slow
@pytest.mark.needs_bwrap
def test_T52_a_task_edited_while_its_stage_runs_is_not_used(frozen: TinyLab, start: Starter) -> None:
    frozen.write_stage("longer", repeats=12)
    frozen.run("freeze", "longer")
    wanted = undisturbed(frozen, "longer")
    hidden = frozen.task / "hidden" / "test_hidden.py"
    text = hidden.read_text()
    started = start(frozen, "collect", "longer", "--workers", "1")
    wait_for(lambda: _finished(frozen) >= 1, started.process)
    hidden.write_text("def test_doubles(): pass\ndef test_large(): pass\ndef test_half(): pass\n")
    code, said = started.end()
    rows = exported(frozen, "longer")
    assert {row["exclusion"] for row in excluded(rows)} <= {"task_changed"}
    assert all(row in wanted for row in counted(rows))  # by the tests as they were frozen
    assert code == (1 if excluded(rows) else 0), said
    assert frozen.run("collect", "longer").returncode == 2
    hidden.write_text(text)
    assert frozen.run("collect", "longer").returncode == 0
    assert faults_after(frozen, wanted, "longer") == []


def _finished(lab: TinyLab) -> int:
    if not (lab.state / "restartlab.db").exists():
        return 0
    with database(lab) as connection:
        try:
            return int(connection.execute("SELECT count(*) FROM tries WHERE valid").fetchone()[0])
        except Exception:  # the tables are being made
            return 0


@pytest.mark.slow
@pytest.mark.needs_bwrap
def test_T59_T60_only_a_terminal_row_is_done(frozen: TinyLab, start: Starter) -> None:
    """Neither a trajectory file, nor a started try, nor an excluded one makes an attempt done."""
    wanted = undisturbed(frozen)
    started = start(frozen, "collect", "tiny", "--workers", "2")
    started.await_worker()
    started.process.kill()
    started.end()
    assert list((frozen.state / "tries").glob("*.jsonl"))
    status = json.loads(frozen.run("status", "tiny", "--json").stdout)
    assert status["finished"] == sum(status["events"].values()) == _finished(frozen) < 4
    again = frozen.run("collect", "tiny")
    assert again.returncode == 0, again.stderr
    assert f"{4 - status['finished']} attempts finished in this run" in again.stdout
    assert faults_after(frozen, wanted) == []


@pytest.mark.slow
@pytest.mark.needs_bwrap
def test_T62_a_verifiers_failure_is_tried_again_and_a_valid_end_never(frozen: TinyLab, start: Starter) -> None:
    wanted = undisturbed(frozen)
    started = start(frozen, "collect", "tiny", "--workers", "1")
    killed = 0
    while started.process.poll() is None and not killed:
        for one in victims.sandboxes(started.process.pid, verifier=True):
            if victims.open_trajectory(one.parent):  # a try's, not a gate's
                os.kill(one.pid, signal.SIGKILL)
                killed += 1
                break
    started.end()
    assert killed
    frozen.run("collect", "tiny")
    rows = exported(frozen)
    assert counted(rows) == wanted
    assert {row["exclusion"] for row in excluded(rows)} <= {"verifier_failure"}
    assert faults_of_rows(rows) == []
    before = len(rows)
    assert "0 attempts finished in this run" in frozen.run("collect", "tiny").stdout
    assert len(exported(frozen)) == before


@pytest.mark.needs_bwrap
@pytest.mark.parametrize(
    "changed", ["protocol", *(pytest.param(one, marks=pytest.mark.slow) for one in ("issue", "runtime"))]
)
def test_T63_a_stage_that_changed_is_not_resumed(frozen: TinyLab, changed: str) -> None:
    assert frozen.run("collect", "tiny", "--limit", "1").returncode == 0
    before = exported(frozen)
    if changed == "issue":
        (frozen.task / "issue.md").write_text("double(3) gives 5, not 7.\n")
    elif changed == "protocol":
        frozen.write_stage(repeats=5)
    else:
        runtimes = dict(stage_data()["runtimes"])  # type: ignore[call-overload]
        runtimes["scripted"]["model"] = {**runtimes["scripted"]["model"], "scale": 0.5}
        frozen.write_stage(runtimes=runtimes)
    done = frozen.run("collect", "tiny")
    assert done.returncode == 2
    assert "tiny" in done.stderr
    if changed != "issue":  # frozen anew under the old name, it meets the attempts of the other one
        (frozen.root / "protocols" / "FROZEN.yaml").unlink()
        assert frozen.run("freeze", "tiny").returncode == 0
        assert frozen.run("collect", "tiny").returncode == 2
    with database(frozen) as connection:
        assert connection.execute("SELECT count(*) FROM tries").fetchone() == (len(before),)


@pytest.mark.slow
@pytest.mark.needs_bwrap
def test_T64_sixteen_viewers_while_a_stage_is_written(frozen: TinyLab, start: Starter) -> None:
    frozen.write_stage("longer", repeats=10)
    frozen.run("freeze", "longer")
    wanted = undisturbed(frozen, "longer")
    started = start(frozen, "collect", "longer", "--workers", "2")
    wait_for(lambda: _finished(frozen) >= 1, started.process)
    code = (
        "import sys, pathlib; from harness.store.store import Store\n"
        "looks = 0\n"
        "while not pathlib.Path(sys.argv[2]).exists():\n"
        "    with Store.open(pathlib.Path(sys.argv[1]), create=False) as store:\n"
        "        store.counts('longer'); list(store.event_rows('longer')); store.verify_ledger(); looks += 1\n"
        "print(looks)\n"
    )
    over = frozen.root / "over"
    viewers = [
        subprocess.Popen(
            [sys.executable, "-c", code, str(frozen.state / "restartlab.db"), str(over)], env=frozen.environment,
            stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
        )
        for _ in range(16)
    ]  # fmt: skip
    for command in (("status", "longer"), ("export", "longer")):
        assert frozen.run(*command).returncode == 0
    result = started.end()
    over.touch()
    said = [viewer.communicate(timeout=120) for viewer in viewers]
    assert result[0] == 0, result[1]
    assert [errors for _, errors in said if errors] == []
    assert all(int(looks) >= 1 for looks, _ in said)
    assert excluded(exported(frozen, "longer")) == []
    assert faults_after(frozen, wanted, "longer") == []


@pytest.mark.needs_bwrap
def test_T64_a_viewer_who_may_not_write(frozen: TinyLab) -> None:
    if os.geteuid() == 0:
        pytest.skip("root may always write")
    assert frozen.run("collect", "tiny", "--limit", "1").returncode == 0
    path = frozen.state / "restartlab.db"
    path.chmod(0o444)
    assert frozen.run("status", "tiny").returncode == 0
    assert len(exported(frozen)) == 1
