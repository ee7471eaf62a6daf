"""The self-check: our sandbox refuses all, a weaker one does not, and a probe that breaks decides nothing."""

from __future__ import annotations

import dataclasses
import json
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from jsonschema import Draft202012Validator
from miniswe_sandbox import MiniSweSandbox, probe_miniswe, workspace
from tiny_lab import PROJECT, TinyLab

from harness.sandbox import host
from harness.sandbox.interface import Lifetime, Limits, Mounts, Result
from harness.sandbox.selfcheck.probe import Probe, by_words
from harness.sandbox.selfcheck.scene import Scene, Subject
from harness.sandbox.selfcheck.suite import ISOLATION, run_probes

pytestmark = pytest.mark.needs_bwrap
USER = 65534


def test_every_probe_of_our_sandbox_is_refused(lab: TinyLab) -> None:
    done = lab.run("doctor", "--sandbox", "--json")
    document = json.loads(done.stdout)
    Draft202012Validator(json.loads((PROJECT / "docs/schemas/doctor-sandbox.json").read_text())).validate(document)
    bad = [p for p in document["probes"] if p["state"] not in ("refused", "not applicable")]
    assert (done.returncode, bad) == (0, []), done.stderr
    assert document["counts"]["refused"] >= 45
    assert [p["id"] for p in document["probes"] if p["state"] == "not applicable" and host.is_root()] == []
    assert lab.state.is_dir() and list(lab.state.glob("selfcheck-*")) == []  # nothing is left


def test_probes_and_the_page_agree(lab: TinyLab) -> None:
    page = (PROJECT / "docs" / "sandbox.md").read_text()
    ours = page.split("## What another sandbox lets through")[0]
    listed = re.findall(r"^\| `([a-z]+\.[a-z-]+)` \|", ours, re.MULTILINE)
    ids = [p["id"] for p in json.loads(lab.run("doctor", "--sandbox", "--json").stdout)["probes"]]
    assert listed == ids
    assert len(set(ids)) == len(ids)


def test_a_kind_without_its_flag_is_refused(lab: TinyLab) -> None:
    done = lab.run("doctor", "bubblewrap")
    assert done.returncode == 2
    assert "doctor --sandbox bubblewrap" in done.stderr


def test_an_unknown_kind_is_refused(lab: TinyLab) -> None:
    done = lab.run("doctor", "--sandbox", "nonesuch")
    assert done.returncode == 2
    assert "nonesuch" in done.stderr


@pytest.mark.skipif(not host.is_root(), reason="this user is an ordinary one: all tests are such a test")
def test_an_ordinary_user_gets_the_same(tmp_path: Path) -> None:
    """With a Python of the system and the packages of this one, where that user can read both."""
    python = shutil.which(f"python{sys.version_info[0]}.{sys.version_info[1]}", path="/usr/bin:/usr/local/bin")
    packages = [path for path in sys.path if path.endswith("site-packages")]
    if python is None:
        pytest.skip("no Python of this version that an ordinary user can start")
    folder = Path(os.path.realpath("/tmp")) / f"restartlab-selfcheck-{os.getpid()}"
    (folder / "home").mkdir(parents=True)
    shutil.chown(folder / "home", USER, USER)
    environment = {
        "PATH": "/usr/bin:/bin", "HOME": str(folder / "home"), "RESTARTLAB_STATE": str(folder / "home" / "state"),
        "PYTHONDONTWRITEBYTECODE": "1", "PYTHONPATH": os.pathsep.join([str(PROJECT), *packages]),
    }  # fmt: skip
    command = [python, "-c", "from harness.cli import main; main()", "doctor", "--sandbox", "--json"]
    try:
        done = subprocess.run(
            command, env=environment, cwd=folder, user=USER, group=USER, extra_groups=[], capture_output=True,
            text=True, stdin=subprocess.DEVNULL, timeout=240,
        )  # fmt: skip
    finally:
        shutil.rmtree(folder)
    if "No module named" in done.stderr or "Permission denied" in done.stderr:
        pytest.skip(f"uid {USER} cannot read this checkout or its packages")
    assert done.returncode == 0, done.stderr
    document = json.loads(done.stdout)
    assert document["root"] is False
    assert document["counts"]["got through"] == document["counts"]["undecided"] == 0


def test_a_weaker_sandbox_is_found_out(state: Path) -> None:
    """The control: what is refused above gets through where nothing stands in the way."""
    through = {p.probe.id for p in probe_miniswe() if p.finding.state == "got through"}
    assert through >= {
        "network.loopback-tcp", "network.loopback-udp", "network.unix-abstract", "credentials.variable",
        "credentials.names", "processes.see", "processes.namespaces", "processes.survive-session",
        "processes.outlive-timeout", "limits.processes", "limits.memory", "limits.output", "kernel.user-namespace",
    }  # fmt: skip


@pytest.fixture
def weak(state: Path) -> Iterator[Scene]:
    with Scene(Subject(MiniSweSandbox, workspace)) as scene:
        yield scene


@pytest.mark.parametrize("script", ["1 / 0", "say('refused')", "raise SystemExit", "time.sleep(60)", "("])
def test_a_probe_that_breaks_off_is_not_a_refusal(weak: Scene, script: str) -> None:
    broken = "say('refused', 'x')\nraise SystemExit" if script == "raise SystemExit" else script
    (probed,) = run_probes(weak, [Probe("x.x", "x", broken, seconds=1)])
    expected = "refused" if script == "say('refused')" else "undecided"
    assert probed.finding.state == expected
    assert probed.bad == (expected == "undecided")


def test_a_canary_in_the_output_is_found_whatever_the_script_says(weak: Scene) -> None:
    lying = Probe("x.x", "x", "say('refused', os.environ[V['variable']])")
    assert run_probes(weak, [lying])[0].finding.state == "got through"


class _Deaf(MiniSweSandbox):
    """A sandbox whose commands all end well, and do nothing."""

    def start(self, mounts: Mounts, limits: Limits, lifetime: Lifetime = "action") -> None:
        return

    def run(self, command: str, *, seconds: float | None = None, pass_fds: tuple[int, ...] = ()) -> Result:
        return Result(0, b"", 0.0)


def test_a_sandbox_that_runs_nothing_is_not_safe_but_undecided(state: Path) -> None:
    scripts = [dataclasses.replace(p, seconds=1) for p in ISOLATION if p.script and p.judge is by_words]
    with Scene(Subject(_Deaf, workspace)) as scene:
        done = run_probes(scene, scripts)
    assert {p.finding.state for p in done} <= {"undecided", "not applicable"}
