"""Recovery tasks in containers: services live between actions, the same repairs are told from the same wrong ones."""

from __future__ import annotations

from pathlib import Path

import pytest
from incidents import acted, place_of, violated

from harness.sandbox.docker.engine import client
from harness.sandbox.docker.labels import OWNER, owner
from verifiers.recovery.acting import scene

pytestmark = pytest.mark.slow


@pytest.fixture(autouse=True)
def _places(room: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(room / "cache"))
    monkeypatch.setenv("RESTARTLAB_STATE", str(room / "state"))


def test_the_oracle_passes_and_wrong_repairs_do_not() -> None:
    assert acted("config-drift-store", "oracle", "docker").verdict.passed
    wrong = acted("config-drift-store", "runtime-only", "docker")
    assert violated(wrong) == {"orders-are-taken-after-restart"} and wrong.verdict.flags["restart_failure"]
    assert violated(acted("config-drift-store", "account-check-off", "docker")) == {"unknown-accounts-are-refused"}
    ours = {"label": f"{OWNER}={owner()}"}
    assert client().api.containers(all=True, filters=ours) == []


def test_services_live_between_actions_and_are_seen_from_the_host() -> None:
    with scene(place_of("fix-lost-on-restart", "docker")) as stage:
        pid = stage.sandbox.run("cat run/worker.pid").output
        _, processes = stage.look()
        assert "services/worker.py" in processes[int(pid)]
        assert stage.sandbox.run("init.d/worker status; cat run/worker.pid").output.endswith(pid)
