"""Recordings on real SymPy instances, against first passes of an independent re-execution and the official verdicts."""

from __future__ import annotations

import csv
import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
from tiny_lab import PROJECT

from harness.errors import RestartlabError
from harness.sandbox.interpreter import choose

pytestmark = [pytest.mark.needs_bwrap, pytest.mark.slow]

SHARED = PROJECT.parent / "shared"
GOLDEN = SHARED / "goldens" / "trajectory_first_pass.csv"
#: Three short ones, the last of which loses its pass and regains it; RESTARTLAB_REVERIFY=all takes every one.
SHORT = ("sympy__sympy-13480", "sympy__sympy-24539", "sympy__sympy-19637")


@pytest.mark.skipif(not GOLDEN.exists(), reason="the shared recordings are not here")
@pytest.mark.skipif(not os.environ.get("RESTARTLAB_REPOS"), reason="RESTARTLAB_REPOS names no mirror of SymPy")
def test_first_passes_and_verdicts(tmp_path: Path) -> None:
    try:
        choose(("3.9",), own_first=False)
    except RestartlabError:
        pytest.skip("no Python 3.9 here")
    with open(GOLDEN, newline="") as stream:
        golden = {row["instance_id"]: row for row in csv.DictReader(stream)}
    wanted = list(golden) if os.environ.get("RESTARTLAB_REVERIFY") == "all" else list(SHORT)
    data = SHARED / "data"
    command = [
        sys.executable, "-c", "from harness.cli import main; main()", "reverify",
        str(data / "miniswe_sympy_trajectories.tar.xz"), "--dataset", str(data / "swebench_verified_sympy.jsonl.gz"),
        "--verdicts", str(data / "miniswe_sympy_official.csv"), "--json",
        *(word for name in wanted for word in ("--task", name)),
    ]  # fmt: skip
    environment = os.environ | {"PYTHONPATH": str(PROJECT), "RESTARTLAB_STATE": str(tmp_path / "state")}
    done = subprocess.run(command, env=environment, cwd=tmp_path, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    found = {one["task"].removeprefix("swebench-"): one for one in json.loads(done.stdout)["attempts"]}
    assert sorted(found) == sorted(wanted)
    for name, one in found.items():
        row = golden[name]
        calls = [int(row[key]) if row[key] else None for key in ("first_pass_call", "unpassed_at", "repassed_at")]
        assert [one["first_pass_call"], one["unpassed_at"], one["repassed_at"]] == calls, name
        assert (one["calls"], one["final_pass"]) == (int(row["calls"]), row["final_pass"] == "true"), name
        assert one["recorded_pass"] == one["final_pass"], name
        assert one["fidelity"]["returncode"] > 0.9, name
