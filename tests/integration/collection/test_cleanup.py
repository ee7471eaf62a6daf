"""``cleanup``: lists what dead processes left, removes it when told to, and nothing that a live one holds."""

from __future__ import annotations

import fcntl
import os
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from tiny_lab import TinyLab

HOLDER = """
import sys, time
from harness.slots import make_slots
from harness.temporary import temporary_file
from harness.paths import cache_dir, state_dir
from harness.locks import locked
from harness.workspace.workspace import _fresh_folder
half = temporary_file(state_dir() / "blobs")
with make_slots(1, None), half as (stream, _), locked(cache_dir() / "locks" / "base-b"):
    (_fresh_folder("upper") / "upper" / "big").write_bytes(b"x" * 100_000)
    (cache_dir() / "bases" / "b.new").mkdir(parents=True, exist_ok=True)
    stream.write(b"half"); stream.flush()
    print("ready", flush=True)
    time.sleep(600)
"""
KINDS = {"workspaces", "slots", "half-written file", "unfinished cache"}


@pytest.fixture
def own_cache(lab: TinyLab, tmp_path: Path) -> TinyLab:
    """The laboratory with a cache and a folder for temporary files of its own."""
    (tmp_path / "tmp").mkdir()
    lab.environment |= {"XDG_CACHE_HOME": str(tmp_path / "cache"), "TMPDIR": str(tmp_path / "tmp")}
    return lab


@pytest.fixture
def holder(own_cache: TinyLab) -> Iterator[subprocess.Popen[str]]:
    """A process that holds one of everything; killed at the end."""
    process = subprocess.Popen(
        [sys.executable, "-c", HOLDER], env=own_cache.environment, cwd=own_cache.root, stdout=subprocess.PIPE, text=True
    )
    assert process.stdout is not None and process.stdout.readline() == "ready\n"
    yield process
    process.kill()
    process.wait()


def files(lab: TinyLab) -> set[Path]:
    roots = (lab.state, Path(lab.environment["XDG_CACHE_HOME"]), Path(lab.environment["TMPDIR"]))
    return {path for root in roots for path in root.rglob("*")}


def listed(lab: TinyLab, *arguments: str) -> tuple[set[str], str]:
    done = lab.run("cleanup", *arguments)
    assert done.returncode == 0, done.stdout + done.stderr
    return {line[2:20].strip() for line in done.stdout.splitlines() if line.startswith("  ")}, done.stdout


def test_what_a_live_process_holds_is_left_alone_and_what_a_dead_one_left_goes(
    own_cache: TinyLab, holder: subprocess.Popen[str]
) -> None:
    before = files(own_cache)
    for arguments in ((), ("--yes",)):
        assert listed(own_cache, *arguments) == (set(), "nothing is left over\n")
    assert files(own_cache) == before
    holder.kill()
    holder.wait()
    kinds, said = listed(own_cache)
    assert kinds == KINDS
    assert "Nothing was removed: restartlab cleanup --yes" in said
    assert any(unit in said for unit in ("KiB", "MiB"))
    assert files(own_cache) == before, "listing removes nothing"
    kinds, said = listed(own_cache, "--yes")
    assert kinds == KINDS and "removed: 4 leftovers" in said
    assert listed(own_cache) == (set(), "nothing is left over\n")
    left = [path for path in files(own_cache) if path.is_file()]
    assert all(path.name in ("lock", "base-b") for path in left), left


def test_scratch_folders_go_when_they_are_old_and_only_ours(own_cache: TinyLab) -> None:
    long_ago = time.time() - 3 * 86400
    names = ("doctor-x1", "selfcheck-y2", "tmpz3", "blobs", "mine")
    for name in names:
        folder = own_cache.state / name
        folder.mkdir(parents=True)
        os.utime(folder, (long_ago, long_ago))
    # ctime cannot be set, so all of them have changed just now as far as anybody can tell.
    assert listed(own_cache, "--yes")[0] == set()
    from harness.collection import cleanup

    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("RESTARTLAB_STATE", str(own_cache.state))
        patch.setattr(cleanup, "SCRATCH_SECONDS", -1.0)
        found = list(cleanup._scratch())
        assert {Path(one.name).name for one in found} == {"doctor-x1", "selfcheck-y2", "tmpz3"}
        for one in found:
            one.remove()
    assert sorted(path.name for path in own_cache.state.iterdir()) == ["blobs", "mine"]


def test_a_folder_of_a_model_server_goes_when_nobody_holds_its_lock(own_cache: TinyLab) -> None:
    temporary = Path(own_cache.environment["TMPDIR"])
    for name in ("restartlab-local-held", "restartlab-local-left", "restartlab-local-new", "other"):
        (temporary / name).mkdir()
        if name != "restartlab-local-new":
            (temporary / name / "lock").touch()
    with open(temporary / "restartlab-local-held" / "lock") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        kinds, said = listed(own_cache, "--yes")
    assert kinds == {"local model server"} and "restartlab-local-left" in said
    assert {path.name for path in temporary.iterdir()} == {"restartlab-local-held", "restartlab-local-new", "other"}


@pytest.mark.needs_bwrap
def test_a_killed_collection_leaves_nothing_that_cleanup_does_not_find(lab: TinyLab) -> None:
    lab.write_stage("long", repeats=400)  # it must still run when it is killed, however slow the command before that is
    assert lab.run("freeze", "long").returncode == 0
    running = subprocess.Popen(
        lab.command("collect", "long", "--workers", "2", "--sandboxes", "2"), env=lab.environment, cwd=lab.root,
        stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
    )  # fmt: skip
    tries = lab.state / "tries"
    while running.poll() is None and len(list(tries.glob("*.jsonl"))) < 2:
        time.sleep(0.01)
    kinds, _ = listed(lab, "--yes")
    assert not kinds & {"workspaces", "slots"}, "a live collection's"
    assert running.poll() is None
    running.kill()
    running.wait()
    deadline = time.monotonic() + 30
    while "workspaces" not in kinds and time.monotonic() < deadline:  # its workers die with it, but not at once
        kinds |= listed(lab)[0]
    assert {"workspaces", "slots"} <= kinds
    listed(lab, "--yes")
    assert [path for path in (lab.state / "work").iterdir() if path.is_dir()] == []
    assert list(tries.glob("*.jsonl")), "the trajectory of a try that is not recorded as ended stays"
    done = lab.run("collect", "long", "--workers", "2", "--limit", "2")
    assert done.returncode == 0 and "recorded as interrupted" in done.stdout
