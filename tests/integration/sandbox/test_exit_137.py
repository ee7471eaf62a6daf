"""Exit code 137 has three causes, told apart: the command's own, a limit's, and a kill of the sandbox from outside."""

from __future__ import annotations

import os
import signal
import threading
import time
from pathlib import Path

import pytest
from boxes import Box, children, make_box

from harness.sandbox.interface import Limits, SandboxLost

pytestmark = pytest.mark.needs_bwrap


@pytest.mark.parametrize("command", ["exit 137", "kill -9 $$", "python3 -c 'import os; os.kill(os.getpid(), 9)'"])
def test_T15_a_programs_own_137_is_its_exit_code(box: Box, command: str) -> None:
    done = box.run(command)
    assert (done.returncode, done.limit) == (137, None)


def test_T15_the_memory_limits_kill_is_a_limit(box_folder: Path) -> None:
    box = make_box(box_folder, limits=Limits(seconds=30, memory_bytes=100 << 20))
    done = box.run("python3 -c 'b = bytearray(b\"x\") * (200 << 20); import time; time.sleep(60)'")
    assert (done.returncode, done.limit) == (-1, "memory")


@pytest.mark.parametrize("depth", [0, 1], ids=["bubblewrap", "the first process inside"])
def test_T15_a_kill_of_the_sandbox_is_no_result(box: Box, depth: int) -> None:
    started = (box.mounts.upper or Path()) / "started"

    def kill() -> None:
        deadline = time.monotonic() + 20
        while not started.exists() and time.monotonic() < deadline:
            time.sleep(0.01)
        pid = next(pid for pid, (name, _) in children(os.getpid()).items() if name == "bwrap")
        for _ in range(depth):
            pid = next(iter(children(pid)))
        os.kill(pid, signal.SIGKILL)

    killer = threading.Thread(target=kill)
    killer.start()
    with pytest.raises(SandboxLost):
        box.run("echo said; touch started; sleep 60")
    killer.join()
