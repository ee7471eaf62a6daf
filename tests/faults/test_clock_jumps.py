"""The time of day is set while a stage runs: no limit fires, no row changes."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pytest
from aftermath import excluded, exported, faults_after, undisturbed
from disturbed import Starter
from tiny_lab import TinyLab

pytestmark = pytest.mark.needs_bwrap

#: A time of day that is set by hours, back and forth, at every other look; other clocks are as they are.
SHIM = r"""
#define _GNU_SOURCE
#include <sys/syscall.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>
static long looks;
static void jump(long *seconds) {
    static const long by[] = {0, 7200, -86400, 3, -5, 31536000};
    *seconds += by[__sync_fetch_and_add(&looks, 1) / 2 % 6];
}
int clock_gettime(clockid_t clock, struct timespec *now) {
    int result = syscall(SYS_clock_gettime, clock, now);
    if (!result && clock == CLOCK_REALTIME) jump(&now->tv_sec);
    return result;
}
int gettimeofday(struct timeval *now, void *zone) {
    struct timespec fine;
    clock_gettime(CLOCK_REALTIME, &fine);
    now->tv_sec = fine.tv_sec;
    now->tv_usec = fine.tv_nsec / 1000;
    return 0;
}
time_t time(time_t *to) {
    struct timespec fine;
    clock_gettime(CLOCK_REALTIME, &fine);
    if (to) *to = fine.tv_sec;
    return fine.tv_sec;
}
"""


@pytest.fixture(scope="module")
def shim(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A library to preload."""
    compiler = shutil.which("cc") or shutil.which("gcc")
    if compiler is None:
        pytest.skip("needs a C compiler")
    folder = tmp_path_factory.mktemp("shim")
    (folder / "jumps.c").write_text(SHIM)
    library = folder / "jumps.so"
    subprocess.run([compiler, "-shared", "-fPIC", "-O1", "-o", library, folder / "jumps.c"], check=True)
    return library


def test_the_clock_really_jumps(shim: Path) -> None:
    code = "import time; looks = [time.time() for _ in range(12)]; print(max(looks) - min(looks))"
    seen = subprocess.run(["python3", "-c", code], env={"LD_PRELOAD": str(shim)}, capture_output=True, text=True)
    assert float(seen.stdout) > 31_000_000


def test_a_clock_that_jumps_changes_no_row(frozen: TinyLab, start: Starter, shim: Path) -> None:
    wanted = undisturbed(frozen)
    code, said = start(frozen, "collect", "tiny", LD_PRELOAD=str(shim)).end()
    assert code == 0, said
    assert faults_after(frozen, wanted) == []
    rows = exported(frozen)
    assert excluded(rows) == []
    assert all(0 <= float(row["wall_s"]) < 600 for row in rows)


@pytest.mark.slow
def test_a_clock_that_jumps_hides_no_dead_controller(frozen: TinyLab, start: Starter, shim: Path) -> None:
    wanted = undisturbed(frozen)
    started = start(frozen, "collect", "tiny", LD_PRELOAD=str(shim))
    started.await_worker()
    started.process.kill()
    started.end()
    done = frozen.run("collect", "tiny", LD_PRELOAD=str(shim))
    assert done.returncode == 0, done.stdout + done.stderr
    assert faults_after(frozen, wanted) == []
    assert {row["exclusion"] for row in excluded(exported(frozen))} == {"interrupted"}
