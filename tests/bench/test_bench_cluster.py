"""Attempts a minute on one and on two nodes of a Ray cluster; two nodes here share the cores of one machine."""

from __future__ import annotations

import csv
import io
from datetime import datetime
from pathlib import Path
from typing import Any

import pytest
from bench_table import Results
from tiny_lab import TinyLab, make_lab

GROUP = "attempts a minute of a tiny scripted stage on Ray"
ATTEMPTS = 40


def _rate(lab: TinyLab, address: str, stage: str) -> float:
    """Attempts a minute between the end of the first and of the last attempt: starting is not counted."""
    from harness.store.store import Store

    place = lab.root / f"{stage}.db"
    done = lab.run("collect", stage, "--engine", "ray", "--address", address, "--database", f"sqlite:///{place}")
    assert done.returncode == 0, done.stdout + done.stderr
    rows = csv.DictReader(io.StringIO(lab.run("export", stage, "--database", f"sqlite:///{place}").stdout))
    assert len(list(rows)) == ATTEMPTS
    with Store.open(place) as store:
        ends = sorted(
            datetime.fromisoformat(one.facts["ended_at"])
            for attempt in store.attempts(stage)
            for one in store.attempt(attempt.id).tries
        )
    return 60 * (ATTEMPTS - 1) / (ends[-1] - ends[0]).total_seconds()


def test_throughput_grows_with_nodes(benchmark: Any, results: Results, tmp_path: Path) -> None:
    try:
        import ray  # noqa: F401
    except ImportError:
        results.skip(GROUP, "two nodes of one CPU", "Ray is not installed")
        pytest.skip("needs Ray (requirements/ray.txt)")
    from ray_cluster import two_nodes

    lab = make_lab(tmp_path, tmp_path / "cache")
    for stage in ("warm", "two", "one"):
        lab.write_stage(stage, repeats=ATTEMPTS, horizon=8)
        assert lab.run("freeze", stage).returncode == 0
    rates: dict[str, float] = {}

    def measure() -> None:
        with two_nodes() as nodes:
            _rate(lab, nodes.address, "warm")  # worker processes start, the base is built, the task is gated
            rates["two"] = _rate(lab, nodes.address, "two")
            nodes.kill_second()
            nodes.wait_for(1)
            rates["one"] = _rate(lab, nodes.address, "one")

    benchmark.pedantic(measure, rounds=1)
    results.value(GROUP, "one node of one CPU", f"{rates['one']:.0f}")
    results.value(GROUP, "two nodes", f"{rates['two']:.0f} ({rates['two'] / rates['one']:.2f} × one node)")
