"""``collect`` end to end on the tiny laboratory: real sandbox, real verifier, real store."""

from __future__ import annotations

import csv
import io
import json
import os
import random
import signal
import subprocess
import time

import pytest
from tiny_lab import TinyLab

pytestmark = pytest.mark.needs_bwrap


def exported(lab: TinyLab, stage: str = "tiny") -> list[dict[str, str]]:
    done = lab.run("export", stage)
    assert done.returncode == 0, done.stderr
    return list(csv.DictReader(io.StringIO(done.stdout)))


def counted(rows: list[dict[str, str]]) -> list[tuple[tuple[str, str], ...]]:
    """Rows that count, without wall time and the number of the try that came to count."""
    return [
        tuple((name, value) for name, value in row.items() if name not in ("wall_s", "try"))
        for row in rows
        if row["valid"] == "true"
    ]


@pytest.fixture
def frozen(lab: TinyLab) -> TinyLab:
    lab.write_stage()
    done = lab.run("freeze", "tiny")
    assert done.returncode == 0, done.stderr
    return lab


def test_collects_then_has_nothing_to_do(frozen: TinyLab) -> None:
    first = frozen.run("collect", "tiny")
    assert first.returncode == 0, first.stdout + first.stderr
    rows = exported(frozen)
    assert len(rows) == 4
    assert {row["origin"] for row in rows} == {"synthetic"}
    assert all(row["cost_usd"] == "0.0" for row in rows)
    assert all(int(row["call"]) <= 8 for row in rows)
    again = frozen.run("collect", "tiny")
    assert again.returncode == 0
    assert "0 attempts finished in this run" in again.stdout
    assert exported(frozen) == rows


def test_status_json_has_the_documented_shape(frozen: TinyLab) -> None:
    frozen.run("collect", "tiny")
    found = json.loads(frozen.run("status", "tiny", "--json").stdout)
    assert set(found) == {"stage", "digest", "planned", "finished", "events", "excluded_tries", "cost_usd", "runtimes"}
    assert set(found["events"]) == {"verified", "terminal", "censored"}
    assert found["planned"] == found["finished"] == sum(found["events"].values()) == 4
    (runtime,) = found["runtimes"]
    assert set(runtime) == {"runtime", "planned", "finished", "events"}


def test_oracle_verifies_at_its_second_call_and_nop_ends_terminal(frozen: TinyLab) -> None:
    assert frozen.run("collect", "tiny", "--runtime", "oracle").returncode == 0
    assert frozen.run("collect", "tiny", "--runtime", "nop").returncode == 0
    ends = {(row["runtime"], row["event"], row["call"], row["reason"]) for row in exported(frozen)}
    assert ends == {("oracle", "verified", "2", ""), ("nop", "terminal", "2", "unverified_submission")}


def test_limit_and_task_options(frozen: TinyLab) -> None:
    assert frozen.run("collect", "tiny", "--limit", "1").returncode == 0
    assert len(exported(frozen)) == 1
    wrong = frozen.run("collect", "tiny", "--task", "tiny-2")
    assert wrong.returncode == 2
    assert "tiny-1" in wrong.stderr


def test_missing_credential_is_refused_before_anything_starts(frozen: TinyLab) -> None:
    done = frozen.run("collect", "tiny", "--runtime", "paid")
    assert done.returncode == 2
    assert "TINY_LAB_KEY" in done.stderr
    assert not frozen.state.exists()


@pytest.mark.parametrize("changed", ["protocol", "hidden"])
def test_one_changed_character_is_refused_and_named(frozen: TinyLab, changed: str) -> None:
    frozen.run("collect", "tiny", "--limit", "1")
    before = exported(frozen)
    stage, hidden = frozen.root / "protocols" / "tiny.yaml", frozen.task / "hidden" / "test_hidden.py"
    path = stage if changed == "protocol" else hidden
    text = path.read_text()
    path.write_text(text.replace("horizon: 8", "horizon: 9") if changed == "protocol" else text.replace("1.5", "1.6"))
    done = frozen.run("collect", "tiny")
    assert done.returncode == 2
    assert ("protocol.horizon" if changed == "protocol" else "tasks.tiny-1.hidden") in done.stderr
    path.write_text(text)
    assert exported(frozen) == before


def test_attempts_under_another_digest_are_refused_and_the_keys_named(frozen: TinyLab) -> None:
    assert frozen.run("collect", "tiny", "--limit", "1").returncode == 0
    frozen.write_stage(horizon=7, analysis={**_analysis(), "budget": 7, "cutoffs": [2, 7]})
    (frozen.root / "protocols" / "FROZEN.yaml").unlink()
    assert frozen.run("freeze", "tiny").returncode == 0
    done = frozen.run("collect", "tiny")
    assert done.returncode == 2
    assert "protocol.horizon" in done.stderr


def _analysis() -> dict[str, object]:
    from tiny_lab import stage_data

    return dict(stage_data()["analysis"])  # type: ignore[call-overload]


def test_a_task_that_fails_its_gate_is_not_collected_but_named(lab: TinyLab) -> None:
    from tiny_lab import repair

    (lab.task / "mutations" / "zero.patch").write_text(repair("2 * n"))  # a "wrong" repair that is right
    lab.write_stage()
    lab.run("freeze", "tiny")
    done = lab.run("collect", "tiny")
    assert done.returncode == 1
    assert "tiny-1" in done.stderr
    assert "zero" in done.stderr
    assert exported(lab) == []


def test_gate_json_has_the_documented_shape(lab: TinyLab) -> None:
    done = lab.run("gate", "tiny-1", "--json")
    assert done.returncode == 0, done.stderr
    (task,) = json.loads(done.stdout)["tasks"]
    assert set(task) == {
        "task", "family", "python", "base", "nop", "reference", "flake_rate", "mutations", "alternatives", "reset",
        "qualified",
    }  # fmt: skip
    assert task["mutations"] == [
        {"name": "small-only", "obligation": "large", "rejected": True},
        {"name": "zero", "obligation": "doubles", "rejected": True},
    ]
    assert task["alternatives"] == [{"name": "shift", "accepted": True}]


def test_an_interrupt_stops_cleanly_and_the_same_command_resumes(frozen: TinyLab) -> None:
    undisturbed = _undisturbed(frozen)
    process = subprocess.Popen(
        frozen.command("collect", "tiny"), env=frozen.environment, cwd=frozen.root, stdout=subprocess.PIPE, text=True
    )
    assert process.stdout is not None
    for line in process.stdout:
        if "repeat" in line:
            break
    process.send_signal(signal.SIGINT)
    process.communicate(timeout=60)
    assert process.returncode == 130
    assert frozen.run("collect", "tiny").returncode == 0
    assert counted(exported(frozen)) == undisturbed


def _undisturbed(lab: TinyLab) -> list[tuple[tuple[str, str], ...]]:
    """Counted rows of a run of the same stage that nothing disturbs, in another state directory."""
    other = {"RESTARTLAB_STATE": str(lab.root / "undisturbed")}
    assert lab.run("collect", "tiny", **other).returncode == 0
    done = lab.run("export", "tiny", **other)
    return counted(list(csv.DictReader(io.StringIO(done.stdout))))


@pytest.mark.slow
def test_killed_at_ten_random_moments_it_resumes_to_the_same_rows(lab: TinyLab) -> None:
    lab.write_stage(repeats=12)
    lab.run("freeze", "tiny")
    undisturbed = _undisturbed(lab)
    pick = random.Random(7)
    for kill in range(10):
        process = subprocess.Popen(
            lab.command("collect", "tiny"), env=lab.environment, cwd=lab.root,
            stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
        )  # fmt: skip
        if kill % 3:  # mostly while attempts run, sometimes anywhere between start and gate
            _wait_for_a_try(lab, process)
        time.sleep(pick.uniform(0.0, 0.4))
        process.kill()
        process.wait()
    time.sleep(0.2)
    done = lab.run("collect", "tiny")
    assert done.returncode == 0, done.stdout + done.stderr
    rows = exported(lab)
    assert counted(rows) == undisturbed
    assert len({row["repeat"] for row in rows if row["valid"] == "true"}) == 12
    lost = [row for row in rows if row["valid"] == "false"]
    assert lost, "no kill hit a running try"
    assert {(row["exclusion"], row["event"]) for row in lost} == {("interrupted", "censored")}
    assert not list((lab.state / "tries").glob("*")), "every trajectory is a blob now"


def _wait_for_a_try(lab: TinyLab, process: subprocess.Popen[bytes]) -> None:
    """Waits until a try of this controller writes its trajectory, or there is nothing left to run."""
    before = set((lab.state / "tries").glob("*.jsonl"))
    while process.poll() is None and set((lab.state / "tries").glob("*.jsonl")) <= before:
        time.sleep(0.01)


def test_a_killed_worker_costs_its_own_try_only(frozen: TinyLab) -> None:
    undisturbed = _undisturbed(frozen)
    process = subprocess.Popen(
        frozen.command("collect", "tiny", "--workers", "2"), env=frozen.environment, cwd=frozen.root,
        stdout=subprocess.PIPE, text=True,
    )  # fmt: skip
    deadline = time.monotonic() + 60
    while time.monotonic() < deadline and not list((frozen.state / "tries").glob("*.jsonl")):
        time.sleep(0.01)
    workers = [
        int(name) for name in os.listdir("/proc") if name.isdigit() and _parent(name) == process.pid and _spawned(name)
    ]
    os.kill(workers[0], signal.SIGKILL)
    process.communicate(timeout=120)
    assert process.returncode == 0
    rows = exported(frozen)
    assert counted(rows) == undisturbed
    assert [row["exclusion"] for row in rows if row["valid"] == "false"] in ([], ["worker_lost"])


def _parent(pid: str) -> int:
    try:
        with open(f"/proc/{pid}/stat") as stream:
            return int(stream.read().rsplit(")", 1)[1].split()[1])
    except (OSError, IndexError):
        return -1


def _spawned(pid: str) -> bool:
    try:
        with open(f"/proc/{pid}/cmdline", "rb") as stream:
            return b"spawn_main" in stream.read()
    except OSError:
        return False
