"""Files that a crash tore: blobs, temporary files, trajectories, verdicts, a base's manifest, the database's log."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
from aftermath import counted, database, excluded, exported, faults_after, faults_of_store, undisturbed
from disturbed import Starter
from tiny_lab import TinyLab

from harness.recorder import read_trajectory

pytestmark = pytest.mark.needs_bwrap


def test_a_torn_blob_is_found_by_name_and_mended_by_the_next_try(frozen: TinyLab) -> None:
    wanted = undisturbed(frozen)
    assert frozen.run("collect", "tiny", "--limit", "1").returncode == 0
    blobs = sorted((frozen.state / "blobs").rglob("*.z"))
    for path in blobs:
        os.truncate(path, path.stat().st_size // 2)
    (frozen.state / "blobs" / ".tmp-half").write_bytes(b"half a blob")
    assert any("missing or torn" in fault for fault in faults_of_store(frozen))
    with database(frozen) as connection:
        (attempt,) = connection.execute("SELECT attempt_id FROM tries").fetchone()
    assert "is torn" in frozen.run("show", attempt[:12]).stdout
    assert frozen.run("collect", "tiny").returncode == 0
    assert counted(exported(frozen)) == wanted
    assert not (frozen.state / "blobs" / ".tmp-half").exists()


@pytest.mark.slow
def test_torn_verdicts_are_judged_again(frozen: TinyLab) -> None:
    wanted = undisturbed(frozen)
    verdicts = frozen.root / "undisturbed" / "verdicts"
    shown = sorted(verdicts.rglob("*.json"))
    assert shown
    for number, path in enumerate(shown):
        here = frozen.state / "verdicts" / path.relative_to(verdicts)
        here.parent.mkdir(parents=True, exist_ok=True)
        content = path.read_bytes()
        another = shown[number - 1].read_bytes().replace(b'"state": "fail"', b'"state": "pass"')
        here.write_bytes((b"", content[: len(content) // 2], bytes(len(content)), b"null", another)[number % 5])
    (frozen.state / "verdicts" / ".tmp-half").write_bytes(b"{")
    assert frozen.run("collect", "tiny").returncode == 0
    assert faults_after(frozen, wanted) == []


@pytest.mark.parametrize(
    "content",
    [
        pytest.param(b"", id="empty", marks=pytest.mark.slow),
        pytest.param(b'{"tinypkg', id="half"),
        pytest.param(b"null", id="null", marks=pytest.mark.slow),
        pytest.param(b"\0" * 400, id="zeros", marks=pytest.mark.slow),
    ],
)
def test_a_base_whose_manifest_is_torn_is_built_anew(frozen: TinyLab, content: bytes) -> None:
    wanted = undisturbed(frozen)
    bases = Path(frozen.environment["XDG_CACHE_HOME"]) / "restartlab" / "bases"
    manifests = list(bases.glob("*/manifest.json"))
    assert manifests
    for manifest in manifests:
        manifest.write_bytes(content)
    done = frozen.run("collect", "tiny")
    assert done.returncode == 0, done.stdout + done.stderr
    assert faults_after(frozen, wanted) == []
    assert sorted(path.name for path in bases.iterdir()) == sorted(path.parent.name for path in manifests)


def test_a_trajectory_that_a_kill_cut_is_kept_up_to_its_last_whole_line(frozen: TinyLab, start: Starter) -> None:
    wanted = undisturbed(frozen)
    started = start(frozen, "collect", "tiny", "--workers", "1")
    started.await_worker()
    time.sleep(0.3)
    started.process.kill()
    started.end()
    (path,) = (frozen.state / "tries").glob("*.jsonl")
    with open(path, "ab") as stream:
        stream.write(b'{"type": "action", "call": 9, "comm')
    assert frozen.run("collect", "tiny").returncode == 0
    assert faults_after(frozen, wanted) == []
    (lost,) = excluded(exported(frozen))
    assert int(lost["call"]) < 9


def test_a_line_that_does_not_fit_is_not_begun(tmp_path: Path) -> None:
    """A full disk takes a part of a line without an error; the next line would be lost with it."""
    code = (
        "import resource, sys; from harness.recorder import Recorder\n"
        f"recorder = Recorder(__import__('pathlib').Path({str(tmp_path / 't.jsonl')!r}))\n"
        "recorder.write('start', n=1)\n"
        "resource.setrlimit(resource.RLIMIT_FSIZE, (500, resource.RLIM_INFINITY))\n"
        "try:\n    recorder.write('message', text='x' * 2000)\nexcept OSError as error:\n    print(error.errno)\n"
        "resource.setrlimit(resource.RLIMIT_FSIZE, (resource.RLIM_INFINITY, resource.RLIM_INFINITY))\n"
        "recorder.write('end', n=2)\n"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert done.stdout.strip() == "27", done.stderr
    data = (tmp_path / "t.jsonl").read_bytes()
    assert [line["type"] for line in read_trajectory(data)] == ["start", "end"]
    assert b"xxx" not in data


def test_a_database_killed_in_the_middle_of_commits_holds_whole_ones(frozen: TinyLab, start: Starter) -> None:
    """And a log whose tail is torn loses its last commits, nothing else."""
    wanted = undisturbed(frozen)
    started = start(frozen, "collect", "tiny", "--workers", "2")
    started.await_worker()
    time.sleep(0.5)
    started.process.send_signal(signal.SIGKILL)
    started.end()
    log = frozen.state / "restartlab.db-wal"
    if log.exists() and log.stat().st_size > 8000:
        with open(log, "r+b") as stream:
            stream.truncate(log.stat().st_size - 1500)
            stream.seek(-200, os.SEEK_END)
            stream.write(os.urandom(200))
    assert faults_of_store(frozen) == []
    done = frozen.run("collect", "tiny")
    assert done.returncode == 0, done.stdout + done.stderr
    rows = exported(frozen)
    assert counted(rows) == wanted
    assert faults_of_store(frozen) == []
