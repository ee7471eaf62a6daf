"""A disk that is full: of the state directory, and of the database alone. The same command goes on when it is not."""

from __future__ import annotations

import resource
import subprocess
from pathlib import Path

import pytest
from aftermath import counted, excluded, exported, faults_after, undisturbed
from disturbed import Starter
from tiny_lab import TinyLab

from harness.disk import LAST_BYTES, START_BYTES, shortage
from harness.sandbox import host

pytestmark = pytest.mark.needs_bwrap
needs_root = pytest.mark.skipif(not host.is_root(), reason="only root can mount a small disk")


@needs_root
def test_no_try_starts_on_a_full_disk_and_the_same_command_goes_on(frozen: TinyLab) -> None:
    wanted = undisturbed(frozen)
    script = """
set -e
mkdir -p "$RESTARTLAB_STATE"; mount -t tmpfs -o size=70m restartlab-test "$RESTARTLAB_STATE"
say() { "$PYTHON" -c "from harness.cli import main; main()" "$@"; }
head -c 20000000 /dev/zero > "$RESTARTLAB_STATE/filler"
set +e; say collect tiny > "$OUT/first" 2>&1; echo $? > "$OUT/first-code"; set -e
rm "$RESTARTLAB_STATE/filler"; mount -o remount,size=400m "$RESTARTLAB_STATE"
say collect tiny > "$OUT/second" 2>&1
cp -a "$RESTARTLAB_STATE" "$OUT/state"
"""
    first = _in_own_mounts(frozen, script)
    assert first == 1
    said = (frozen.root / "first").read_text()
    assert "free on the disk" in said
    assert "Traceback" not in said
    frozen.environment["RESTARTLAB_STATE"] = str(frozen.root / "state")
    assert faults_after(frozen, wanted) == []


@pytest.mark.slow
@needs_root
def test_a_disk_that_fills_up_meanwhile_loses_tries_and_is_no_output(frozen: TinyLab) -> None:
    """Whatever a command says of a full disk is the host's fault, not its agent's."""
    wanted = undisturbed(frozen)
    script = """
set -e
mkdir -p "$RESTARTLAB_STATE"; mount -t tmpfs -o size=100m restartlab-test "$RESTARTLAB_STATE"
say() { "$PYTHON" -c "from harness.cli import main; main()" "$@"; }
( while [ -z "$(ls "$RESTARTLAB_STATE/tries" 2>/dev/null)" ]; do sleep 0.05; done
  cat /dev/zero > "$RESTARTLAB_STATE/filler" 2>/dev/null ) &
set +e; say collect tiny > "$OUT/first" 2>&1; echo $? > "$OUT/first-code"; wait; set -e
rm "$RESTARTLAB_STATE/filler"; mount -o remount,size=400m "$RESTARTLAB_STATE"
say collect tiny > "$OUT/second" 2>&1
cp -a "$RESTARTLAB_STATE" "$OUT/state"
"""
    assert _in_own_mounts(frozen, script) == 1
    assert "Traceback" not in (frozen.root / "first").read_text()
    rows = exported(frozen)
    assert counted(rows) == wanted
    lost = {row["exclusion"] for row in excluded(rows)}
    assert lost
    assert lost <= {"disk_full", "interrupted"}


def _in_own_mounts(lab: TinyLab, script: str) -> int:
    """Runs a script that mounts; the exit code of its first collection."""
    python = lab.command()[0]
    done = subprocess.run(
        ["unshare", "-m", "--propagation", "private", "bash", "-c", script], cwd=lab.root, text=True,
        env=lab.environment | {"PYTHON": python, "OUT": str(lab.root), "RESTARTLAB_STATE": str(lab.root / "small")},
        capture_output=True, timeout=300,
    )  # fmt: skip
    second = lab.root / "second"
    assert done.returncode == 0, done.stdout + done.stderr + (second.read_text() if second.exists() else "")
    lab.environment["RESTARTLAB_STATE"] = str(lab.root / "state")
    return int((lab.root / "first-code").read_text())


@pytest.mark.slow
def test_a_database_that_cannot_grow_ends_the_run_with_words(frozen: TinyLab, start: Starter) -> None:
    wanted = undisturbed(frozen)
    started = start(frozen, "collect", "tiny")
    started.await_worker()
    _, most = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.prlimit(started.process.pid, resource.RLIMIT_FSIZE, (40 << 10, most))  # of the controller only
    code, said = started.end()
    assert code == 1, said
    assert "cannot be written" in said
    assert "mend:" in said
    done = frozen.run("collect", "tiny")
    assert done.returncode == 0, done.stdout + done.stderr
    assert faults_after(frozen, wanted) == []


def test_shortage_is_of_the_disk_that_holds_the_folder(tmp_path: Path) -> None:
    assert shortage(tmp_path / "not" / "made" / "yet", starting=True) is None
    assert LAST_BYTES < START_BYTES
