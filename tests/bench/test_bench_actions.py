"""What an action costs that does nothing, and what a thousand of them leave behind."""

from __future__ import annotations

import os
import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest
from bench_table import Results
from boxes import children
from desks import boxed, tiny_base
from side_by_side import Compare, Round

from harness import miniswe
from harness.sandbox.bwrap import runnable_bwrap
from harness.sandbox.interface import Limits
from harness.workspace.workspace import Workspace
from verifiers.place import Place

pytestmark = pytest.mark.needs_bwrap

GROUP = "an action that does nothing"
BARE = "a bare subprocess"
ACTIONS = 1000


def _docker_image() -> tuple[str, str]:
    """An image to run, else why there is none. Nothing is pulled."""
    program = os.environ.get("MSWEA_DOCKER_EXECUTABLE", "docker")
    if not shutil.which(program):
        return "", f"no {program}"
    asked = [program, "image", "ls", "--quiet", "--filter", "dangling=false"]
    done = subprocess.run(asked, capture_output=True, text=True, stdin=subprocess.DEVNULL)
    if done.returncode:
        return "", f"no {program} engine runs"
    return (done.stdout.split()[0], "") if done.stdout.split() else ("", "no image")


def _checked(environment: Any) -> Round:
    def action() -> None:
        assert environment.execute({"command": "true"})["returncode"] == 0

    return action


def test_an_action_that_does_nothing(compare: Compare, results: Results, place: Place) -> None:
    miniswe.prepare()
    from minisweagent.environments.docker import DockerEnvironment
    from minisweagent.environments.extra.bubblewrap import BubblewrapEnvironment

    def bare() -> None:
        done = subprocess.run(
            ["bash", "-c", "true"], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT
        )
        assert done.returncode == 0

    with Workspace(place.base) as workspace:
        sandbox = place.make_sandbox()
        sandbox.start(workspace.mounts, Limits())

        def ours() -> None:
            assert sandbox.run("true").returncode == 0

        things: dict[str, Round] = {BARE: bare, "restartlab's sandbox": ours}
        theirs = BubblewrapEnvironment(executable=str(runnable_bwrap()))
        if theirs.execute({"command": "true"})["returncode"] == 0:
            things["mini-swe-agent's bubblewrap"] = _checked(theirs)
        else:
            results.skip(GROUP, "mini-swe-agent's bubblewrap", "it does not start here")
        image, why = _docker_image()
        if image:
            things["mini-swe-agent's Docker"] = _checked(DockerEnvironment(image=image))
        compare(GROUP, things, rounds=60, baseline=BARE)
        if why:
            results.skip(GROUP, "mini-swe-agent's Docker", why)


def _resident_kb() -> int:
    for line in Path("/proc/self/status").read_text().splitlines():
        if line.startswith("VmRSS:"):
            return int(line.split()[1])
    raise AssertionError("no VmRSS")


def _mounts() -> int:
    return len(Path("/proc/self/mountinfo").read_text().splitlines())


def _descriptors() -> int:
    return len(os.listdir("/proc/self/fd"))


def test_a_thousand_actions_leave_nothing_behind(
    benchmark: Any, results: Results, bench_state: Path, bench_folder: Path
) -> None:
    with Workspace(tiny_base()) as workspace:
        box = boxed(workspace.mounts, bench_folder / "site")

        def act(times: int) -> None:
            for n in range(times):
                assert box.run(f"echo {n} > written; sleep 600 &").background_left
                assert set(workspace.snapshot().manifest) == {"written"}

        act(100)
        memory, found = _resident_kb(), (_mounts(), _descriptors(), children(os.getpid()))
        benchmark.pedantic(act, (ACTIONS,), rounds=1)
        grown = _resident_kb() - memory
        assert (_mounts(), _descriptors(), children(os.getpid())) == found
    results.value(f"{ACTIONS:,} actions", "zombies, mounts, file descriptors left", "0, 0, 0")
    results.value(f"{ACTIONS:,} actions", "memory grown by", f"{max(0, grown) / 1024:.1f} MB")
