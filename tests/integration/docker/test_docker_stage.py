"""A stage on the Docker sandbox: gated, collected, verified; resumed after a kill; nothing left in the engine."""

from __future__ import annotations

import os
import signal
import subprocess
import time
from pathlib import Path

import pytest
from engines import contents
from tiny_lab import TinyLab, make_lab


@pytest.fixture
def lab(tmp_path: Path, room: Path) -> TinyLab:
    made = make_lab(tmp_path, room / "cache")
    made.write_stage("tiny", sandbox={"kind": "docker", "network": False})
    assert made.run("freeze", "tiny").returncode == 0
    return made


def _events(lab: TinyLab) -> list[list[str]]:
    """Repeat, event and call of every counted row."""
    lines = lab.run("export", "tiny").stdout.splitlines()
    header = lines[0].split(",")
    rows = [dict(zip(header, line.split(","), strict=True)) for line in lines[1:]]
    return [[row[name] for name in ("repeat", "event", "call")] for row in rows if row["valid"] == "true"]


def test_a_stage_is_gated_collected_and_leaves_nothing(lab: TinyLab) -> None:
    before = contents()
    done = lab.run("collect", "tiny", "--plain")
    assert done.returncode == 0, done.stdout + done.stderr
    assert "qualified" in done.stdout and len(_events(lab)) == 4
    assert contents() == before


def test_oracle_passes_and_nop_does_not(lab: TinyLab) -> None:
    for runtime, event in (("oracle", "verified"), ("nop", "terminal")):
        assert lab.run("collect", "tiny", "--runtime", runtime, "--limit", "1").returncode == 0
        shown = lab.run("export", "tiny").stdout
        assert [line for line in shown.splitlines() if f",{runtime},baseline," in line and event in line]


@pytest.mark.slow
def test_T07_T08_interrupted_and_killed_collections_resume(lab: TinyLab) -> None:
    before = contents()
    for number, code in ((signal.SIGINT, 130), (signal.SIGKILL, -9)):
        child = subprocess.Popen(
            lab.command("collect", "tiny", "--runtime", "nop", "--plain"), env=lab.environment, cwd=lab.root,
            stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
        )  # fmt: skip
        until = time.monotonic() + 60
        while contents()["containers"] == before["containers"] and child.poll() is None and time.monotonic() < until:
            time.sleep(0.05)
        os.kill(child.pid, number)
        assert child.wait(60) == code
        until = time.monotonic() + 30
        while contents() != before and time.monotonic() < until:
            time.sleep(0.1)
        assert contents() == before
    assert lab.run("collect", "tiny", "--runtime", "nop").returncode == 0
    assert [row[1] for row in _events(lab)] == ["terminal"] * 4
    assert contents() == before


def test_without_an_engine_the_stage_is_refused_by_name(lab: TinyLab, tmp_path: Path) -> None:
    done = lab.run("collect", "tiny", DOCKER_HOST=f"unix://{tmp_path}/no.sock")
    assert done.returncode == 2 and "no Docker engine answers" in done.stderr and "bubblewrap" in done.stderr
    assert not (lab.state / "restartlab.db").exists()
