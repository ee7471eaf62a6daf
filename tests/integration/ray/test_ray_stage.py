"""A stage on a cluster counts what one machine counts, whatever becomes of a node or of a second controller."""

from __future__ import annotations

import csv
import io
import subprocess
import time
from pathlib import Path

import pytest
from ray_cluster import TwoNodes
from tiny_lab import TinyLab

pytestmark = pytest.mark.slow


def _rows(lab: TinyLab, *options: str) -> list[dict[str, str]]:
    done = lab.run("export", "tiny", *options)
    assert done.returncode == 0, done.stderr
    return list(csv.DictReader(io.StringIO(done.stdout)))


def _counted(rows: list[dict[str, str]]) -> list[dict[str, str]]:
    """The rows that count, without wall time, and without the number of the try that made them."""
    return [
        {name: value for name, value in row.items() if name not in ("wall_s", "try")}
        for row in rows
        if row["valid"] == "true"
    ]


def _start(lab: TinyLab, *options: str) -> subprocess.Popen[str]:
    return subprocess.Popen(
        lab.command("collect", "tiny", "--plain", *options), env=lab.environment, cwd=lab.root, text=True,
        stdout=subprocess.PIPE, stderr=subprocess.STDOUT, stdin=subprocess.DEVNULL,
    )  # fmt: skip


def _alone(lab: TinyLab, tmp_path: Path) -> list[dict[str, str]]:
    """Counted rows of the same stage on one machine, undisturbed, in another database."""
    place = f"sqlite:///{tmp_path}/alone.db"
    assert lab.run("collect", "tiny", "--database", place).returncode == 0
    return _counted(_rows(lab, "--database", place))


def test_a_killed_node_changes_nothing_that_counts(
    lab: TinyLab, nodes: TwoNodes, database: str, tmp_path: Path
) -> None:
    options = ("--engine", "ray", "--address", nodes.address, "--database", database)
    first = _start(lab, *options)
    assert first.stdout is not None
    for line in first.stdout:
        if "1/6" in line and "[" in line:  # the line of an attempt, not one of the stage's progress
            break
    nodes.kill_second()
    rest, _ = first.communicate(timeout=240)
    code = first.returncode
    for _ in range(3):  # the same command goes on, if the first run gave up
        if code == 0:
            break
        done = lab.run("collect", "tiny", *options)
        code, rest = done.returncode, done.stdout + done.stderr
    assert code == 0, rest
    rows = _rows(lab, "--database", database)
    assert _counted(rows) == _alone(lab, tmp_path)
    assert {row["exclusion"] for row in rows if row["valid"] == "false"} <= {"worker_lost"}
    # What the nodes sent back is whole: the trajectory of an attempt that ran there can be shown.
    shown = lab.run("show", "--database", database, line.partition("[")[2].rpartition("[")[2].partition("]")[0])
    assert shown.returncode == 0 and "call 1" in shown.stdout.lower(), shown.stderr


def test_two_controllers_at_once_run_no_attempt_twice(lab: TinyLab, database: str, tmp_path: Path) -> None:
    assert lab.run("gate", "--database", database).returncode == 0
    both = [_start(lab, "--workers", "1", "--database", database) for _ in range(2)]
    said = [one.communicate(timeout=240)[0] for one in both]
    assert {one.returncode for one in both} <= {0, 1}, said
    if 1 in {one.returncode for one in both}:  # one of them was done while the other still ran the last attempt
        assert lab.run("collect", "tiny", "--database", database).returncode == 0
    rows = _rows(lab, "--database", database)
    assert len(rows) == 6 and _counted(rows) == _alone(lab, tmp_path)


def test_a_cluster_that_is_not_there_is_named(lab: TinyLab) -> None:
    pytest.importorskip("ray", reason="needs Ray (requirements/ray.txt)")
    started = time.monotonic()
    done = lab.run("collect", "tiny", "--engine", "ray", "--address", "auto", RAY_ADDRESS="", HOME=str(lab.root))
    assert done.returncode == 2 and "no Ray cluster answers" in done.stderr, done.stderr
    assert time.monotonic() - started < 120
    unknown = lab.run("collect", "tiny", "--engine", "slurm")
    assert unknown.returncode == 2 and "local, ray" in unknown.stderr


def test_what_holds_on_one_machine_only_is_refused(lab: TinyLab) -> None:
    done = lab.run("collect", "tiny", "--engine", "ray", "--sandboxes", "2")
    assert done.returncode == 2 and "--sandboxes" in done.stderr
