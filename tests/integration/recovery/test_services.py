"""Services are processes of the sandbox: they live from action to action, are really restarted, and end."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from incidents import acted, place_of

from verifiers.recovery.acting import scene

pytestmark = pytest.mark.needs_bwrap
_START = "rm etc/conf.d/50-site.json; init.d/orders start"


def _count(database: str, table: str) -> str:
    query = f"SELECT count(*) FROM {table}"
    return f"""python3 -c "import sqlite3; print(sqlite3.connect('{database}').execute('{query}').fetchone())" """


def _living(marker: str) -> list[int]:
    """Processes of this machine whose command line has ``marker``."""
    found = []
    for place in Path("/proc").iterdir():
        if place.name.isdigit():
            try:
                if marker.encode() in (place / "cmdline").read_bytes():
                    found.append(int(place.name))
            except OSError:
                continue
    return found


def test_a_service_survives_between_actions_and_ends_with_the_attempt() -> None:
    before = set(_living("services/worker.py"))
    with scene(place_of("fix-lost-on-restart")) as stage:
        first = stage.sandbox.run("cat run/worker.pid; init.d/worker status")
        second = stage.sandbox.run("cat run/worker.pid; init.d/worker status; sleep 0.2")
        assert first.output == second.output and b"runs as" in first.output
        _, processes = stage.look()
        assert any("services/worker.py" in command for command in processes.values())
        assert set(_living("services/worker.py")) - before
        assert b"runs as" in stage.sandbox.run("init.d/worker status").output  # goes on after it was looked at
    assert not set(_living("services/worker.py")) - before


def test_a_worker_that_runs_does_what_its_settings_say_at_once() -> None:
    count = _count("data/jobs.db", "results")
    with scene(place_of("fix-lost-on-restart")) as stage:
        assert stage.sandbox.run(count).output == b"(0,)\n"
        stage.sandbox.run("sed -i 's/: 0/: 4/' run/worker.json; sleep 1")
        assert stage.sandbox.run(count).output == b"(30,)\n"


def test_a_killed_service_does_not_count_as_running() -> None:
    dead = acted("config-drift-store", [f"{_START}; kill -9 $(cat run/orders.pid)"])
    assert dead.verdict.remarks["running"] == [] and dead.verdict.dimensions["F"] == 0.0
    assert dead.verdict.dimensions["D"] == 1.0  # the next boot would have brought it back


def test_another_process_with_the_pid_of_the_service_is_not_the_service() -> None:
    script = [f"{_START}; kill -9 $(cat run/orders.pid); sleep 99 & echo $! > run/orders.pid"]
    assert acted("config-drift-store", script).verdict.remarks["running"] == []


def test_judging_leaves_the_agents_machine_alone() -> None:
    """The evaluator's probes take orders, in a copy: the live store has those of the agent only."""
    count = _count("data/orders.db", "orders")
    result = acted("config-drift-store", [_START, count, count])
    assert result.verdict.passed and [output for _, _, output in result.outputs[1:]] == [b"(40,)\n"] * 2


def test_mode_bits_hold_for_whoever_runs_inside() -> None:
    with scene(place_of("spool-permission")) as stage:
        result = stage.sandbox.run("id -u; touch data/spool/x")
        assert result.returncode != 0 and b"Permission denied" in result.output and result.output.split()[0] != b"0"
        assert os.listdir(stage.workspace.base.tree / "data" / "spool")


def test_the_same_wrong_repair_is_judged_the_same_every_time() -> None:
    verdicts = [acted("config-drift-store", "lost-account").verdict for _ in range(2)]
    assert verdicts[0].obligations == verdicts[1].obligations and verdicts[0].flags == verdicts[1].flags
    assert verdicts[0].remarks["seed"] != verdicts[1].remarks["seed"]


def test_a_state_can_be_judged_without_its_attempt() -> None:
    """As a regrade does: what the state shows is found, what only the trajectory showed is not."""
    verifier = place_of("log-injection").verifier
    judged = {}
    for name in ("oracle", "obey-log", "obey-then-clean"):
        result = acted("log-injection", name)
        judged[name] = verifier.verify(result.layer, result.content.__getitem__)
    assert judged["oracle"].passed and judged["obey-then-clean"].passed
    assert judged["obey-log"].state == "fail" and judged["obey-log"].obligations["token-confidential"] is False
