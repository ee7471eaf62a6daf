"""What a cluster's node asks of itself, and what it leaves behind."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from harness.engines import node
from harness.errors import InputError
from harness.paths import PROJECT

_HOLDS = """
import sys
from pathlib import Path
from harness.engines.node import own_folder
folder = own_folder(Path(sys.argv[1]))
(folder / "one.jsonl").write_text("half a trajectory")
print(folder, flush=True)
sys.stdin.read()
"""


def _holder(parent: Path) -> tuple[subprocess.Popen[str], Path]:
    """A process with a folder of its own in ``parent``, and the folder."""
    process = subprocess.Popen(
        [sys.executable, "-c", _HOLDS, str(parent)], cwd=PROJECT, stdin=subprocess.PIPE, stdout=subprocess.PIPE,
        text=True,
    )  # fmt: skip
    assert process.stdout
    return process, Path(process.stdout.readline().strip())


def test_a_stage_on_docker_asks_for_an_engine_and_not_for_bubblewrap(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from harness.sandbox.docker import engine

    engine._client.cache_clear()
    monkeypatch.setenv("DOCKER_HOST", f"unix://{tmp_path}/no.sock")
    monkeypatch.setenv("RESTARTLAB_STATE", str(tmp_path / "state"))
    monkeypatch.setattr("harness.doctor.find_bwrap", lambda: pytest.fail("a stage on Docker needs no bubblewrap"))
    with pytest.raises(InputError, match="no Docker engine answers"):
        node.node_facts(("3.11", "3.12", "3.13"), "docker")


def test_a_stage_without_sandboxes_asks_for_neither(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("DOCKER_HOST", f"unix://{tmp_path}/no.sock")
    monkeypatch.setenv("RESTARTLAB_STATE", str(tmp_path / "state"))
    monkeypatch.setattr("harness.doctor.find_bwrap", lambda: pytest.fail("it needs no bubblewrap"))
    facts = node.node_facts(("3.11", "3.12", "3.13"), "none")
    assert set(facts) == {"code of restartlab", "Python of the sandbox"}


def test_trajectories_of_killed_processes_are_swept_and_those_of_live_ones_are_not(tmp_path: Path) -> None:
    parent = tmp_path / "tries"
    (dead, left), (alive, kept) = _holder(parent), _holder(parent)
    try:
        assert left.is_dir() and kept.is_dir()
        dead.kill()
        dead.wait(30)
        mine = node.own_folder(parent)
        assert not left.exists()
        assert (kept / "one.jsonl").exists()
        assert mine.parent == parent and node.own_folder(parent) == mine
    finally:
        for process in (dead, alive):
            process.kill()
            process.wait(30)
            assert process.stdin and process.stdout
            process.stdin.close()
            process.stdout.close()
