"""Executing recorded attempts again with a verdict after every action, against the plain way of doing it.

The plain way takes the same actions and, after each one, applies ``git diff`` to a fresh copy of the tree and runs the
whole files of the hidden tests. RESTARTLAB_BENCH_TRAJECTORIES says how many attempts (ten by default).
"""

from __future__ import annotations

import os
import subprocess
import time
from pathlib import Path
from typing import Any

import pytest
from bench_table import Results

from harness.attempt import Lost
from harness.importers.detect import read_all
from harness.importers.record import Record
from harness.reverify.execute import execute
from harness.reverify.job import Job, Rules
from harness.reverify.planning import assign
from harness.sandbox.interface import Limits
from harness.workspace.files import remove_tree
from harness.workspace.workspace import Workspace
from tasks.registry import load_task
from tasks.swebench.hidden import hidden_files
from tasks.swebench.task import SwebenchTask
from verifiers.kinds import prepare_place

pytestmark = [pytest.mark.needs_bwrap, pytest.mark.slow]

GROUP = "recorded attempts executed again"
PLAIN = "git apply into a fresh copy and whole test files, after every action"
DATA = Path(__file__).resolve().parents[3] / "shared" / "data"


def _tests_of_all(place_python: Path, site: Path, tree: Path, files: list[str]) -> None:
    """Runs the whole test files with SymPy's own runner."""
    command = [str(place_python), "-B", "bin/test", "-C", *files]
    environment = {"PATH": "/usr/bin:/bin", "PYTHONPATH": str(site), "PYTHONHASHSEED": "0", "HOME": "/nonexistent"}
    subprocess.run(command, cwd=tree, env=environment, capture_output=True, stdin=subprocess.DEVNULL, timeout=1800)


def _plainly(task: SwebenchTask, record: Record, folder: Path) -> None:
    place = prepare_place(task)
    hidden = hidden_files(task.instance, place.base.tree)
    assert place.tools.python is not None and place.tools.site is not None
    with Workspace(place.base) as workspace:
        sandbox = place.make_sandbox({"PAGER": "cat"})
        sandbox.start(workspace.mounts, Limits(180))
        for call in record.calls:
            for action in call.actions:
                sandbox.run(action.command or "true")
                patch = sandbox.run("git add -A --intent-to-add; git diff --binary HEAD").output
                copy = folder / "copy"
                subprocess.run(["cp", "-a", place.base.tree, copy], check=True)
                subprocess.run(["git", "apply", "--whitespace=nowarn", "-"], cwd=copy, input=patch, capture_output=True)
                for name, content in hidden.files.items():
                    (copy / name).write_bytes(content or b"")
                _tests_of_all(place.tools.python.executable, place.tools.site, copy, list(hidden.files))
                remove_tree(copy)
        sandbox.stop()


def test_reverification(
    benchmark: Any, results: Results, bench_state: Path, bench_folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    archive, dataset = DATA / "miniswe_sympy_trajectories.tar.xz", DATA / "swebench_verified_sympy.jsonl.gz"
    if not archive.exists():
        pytest.skip("the shared recordings are not here")
    if not os.environ.get("RESTARTLAB_REPOS"):
        pytest.skip("RESTARTLAB_REPOS names no mirror of SymPy")
    monkeypatch.setenv("RESTARTLAB_DATASETS", str(dataset))
    count = int(os.environ.get("RESTARTLAB_BENCH_TRAJECTORIES", "10"))
    records = sorted(read_all([archive]).records, key=lambda one: (len(one.calls), one.instance))[:count]
    tasks = {record.digest: load_task(f"swebench-{record.instance}") for record in records}
    for task in tasks.values():
        prepare_place(task)  # bases are built once, whichever way
    rules = Rules("bench")

    def both_ways() -> tuple[float, float]:
        ours, plain = 0.0, 0.0
        for number, record in enumerate(records):
            task = tasks[record.digest]
            assert isinstance(task, SwebenchTask)
            began = time.perf_counter()
            _plainly(task, record, bench_folder)
            plain += time.perf_counter() - began
            (one,) = assign({task.id: [record]}, rules, [], [])
            began = time.perf_counter()
            done = execute(Job(rules, one.attempt, task.digest, record, bench_state / f"{number}.jsonl"))
            ours += time.perf_counter() - began
            assert not isinstance(done, Lost)
            print(f"{record.instance}: {len(record.calls)} calls; so far {ours:.0f} s, the plain way {plain:.0f} s")
        return ours, plain

    ours, plain = benchmark.pedantic(both_ways, rounds=1)
    actions = sum(len(call.actions) for record in records for call in record.calls)
    results.time(GROUP, f"an action of {actions} in {len(records)} attempts", [ours / actions], PLAIN)
    results.time(GROUP, PLAIN, [plain / actions])
