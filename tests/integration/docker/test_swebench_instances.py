"""An instance of SWE-bench Verified in Docker under swebench's image name; skipped where its data or mirror is missing.

The image is built here from the mirror, by ``docker/instance.py``, where the engine does not have it.
"""

from __future__ import annotations

import os
import re
import subprocess
import sys
from collections.abc import Iterator
from contextlib import nullcontext
from pathlib import Path

import pytest
from tiny_images import removed_afterwards
from tiny_lab import TinyLab, make_lab

from harness.paths import PROJECT
from harness.sandbox.docker.engine import find_image
from harness.second_verdict import second_verdict
from tasks.swebench.dataset import load_instances
from tasks.swebench.images import image_names
from tasks.swebench.instance import Instance
from tasks.swebench.task import SwebenchTask
from verifiers.gate import Bench
from verifiers.instances import Instances

DATASET = PROJECT.parent / "shared" / "data" / "swebench_verified_sympy.jsonl.gz"
NAME = "sympy__sympy-22714"
IMAGE = "swebench/sweb.eval.x86_64.sympy_1776_sympy-22714:latest"

pytest.importorskip("swebench", reason="needs the swebench package (requirements/swebench.txt)")
pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(not DATASET.exists(), reason="the shared dataset of SymPy instances is not here"),
    pytest.mark.skipif(not os.environ.get("RESTARTLAB_REPOS"), reason="no SymPy mirror: RESTARTLAB_REPOS is not set"),
]

#: Wrong: the failing test passes, as the check is gone; one that passed before fails.
WRONG = "sed -i 's/if any(a.is_number and im(a) for a in coords):/if False:/' sympy/geometry/point.py"


@pytest.fixture(scope="module")
def instance(room: Path) -> Iterator[Instance]:
    """The instance, its image in the engine."""
    found = load_instances(str(DATASET))[NAME]
    assert image_names(found)[0] == IMAGE
    there = find_image(IMAGE) is not None
    with nullcontext() if there else removed_afterwards(IMAGE):
        if not there:
            command = [sys.executable, str(PROJECT / "docker" / "instance.py"), NAME, "--dataset", str(DATASET)]
            environment = {**os.environ, "PYTHONPATH": str(PROJECT), "XDG_CACHE_HOME": str(room / "cache")}
            subprocess.run([*command, "--repos", os.environ["RESTARTLAB_REPOS"]], env=environment, check=True)
        yield found


def test_it_qualifies_and_both_graders_agree_on_base_reference_and_a_wrong_repair(
    instance: Instance, room: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(room / "cache"))
    monkeypatch.setenv("RESTARTLAB_STATE", str(room / "state"))
    task = SwebenchTask(instance)
    result = Instances().qualify(task, "docker")
    assert result.qualified, (result.complaints(), result.verdicts)
    assert result.second is not None
    assert (result.second["agrees"], result.second["states"]) == (True, {"base": "fail", "reference": "pass"})
    bench = Bench(task, Instances().prepare(task, "docker"))
    layer, content = bench.layer(WRONG), bench._content.__getitem__
    assert layer.manifest, "the wrong repair changes something"
    verdict = bench.place.verifier.verify(layer, content)
    said, findings = second_verdict(bench.place, layer, verdict.passed, content)
    assert (verdict.state, verdict.obligations["test_issue_22684"]) == ("fail", True)
    assert (said["second_verdict"]["state"], said["second_verdict"]["agrees"], findings) == ("fail", True, ())


def test_it_runs_end_to_end(instance: Instance, room: Path, tmp_path: Path) -> None:
    lab: TinyLab = make_lab(tmp_path, room / "cache")
    lab.environment["RESTARTLAB_DATASETS"] = str(DATASET)
    limits = {
        "command_seconds": 300, "wall_seconds": 3600, "memory_mb": 2048, "processes": 128, "disk_mb": 1024,
        "inodes": 20000, "output_kb": 256,
    }  # fmt: skip
    tasks = [f"swebench-{NAME}"]
    lab.write_stage("tiny", tasks=tasks, repeats=1, limits=limits, sandbox={"kind": "docker", "network": False})
    assert lab.run("freeze", "tiny").returncode == 0
    for runtime, event, state in (("oracle", "verified", "pass"), ("nop", "terminal", "fail")):
        done = subprocess.run(
            lab.command("collect", "tiny", "--runtime", runtime, "--plain"), env=lab.environment, cwd=lab.root,
            capture_output=True, text=True,
        )  # fmt: skip
        assert done.returncode == 0, done.stdout + done.stderr
        assert f": {event} at call" in done.stdout
        (attempt,) = {line.split("[")[1].split("]")[0] for line in done.stdout.splitlines() if f": {event} at" in line}
        shown = lab.run("show", attempt).stdout
        assert re.search(rf"second verdict: swebench \S+: {state} \(agrees\)", shown), shown[:2000]
