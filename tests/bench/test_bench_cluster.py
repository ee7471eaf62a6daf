"""Attempts a minute on one and on two nodes of a Ray cluster; two nodes here share the cores of one machine.

Scripted attempts use a core each, and so does what serves the cluster: two cores leave them little to grow into.
Attempts that mostly wait for their model, as those of real agents do, show what the nodes themselves allow.
"""

from __future__ import annotations

import csv
import io
from datetime import datetime
from pathlib import Path
from typing import Any

import pytest
from bench_table import Results
from chat_server import bash, calls_before, chat_server, slow
from paid_lab import write_paid_stage
from tiny_lab import TinyLab, make_lab
from trying import RIGHT

GROUP = "attempts a minute of a tiny stage on Ray"
ATTEMPTS = {"scripted": 40, "house": 16}
#: What the model of the stages that wait takes to answer; an attempt of theirs has four calls.
SECONDS, BEFORE = 0.5, 3


def _rate(lab: TinyLab, address: str, stage: str, runtime: str) -> float:
    """Attempts a minute between the end of the first and of the last attempt: starting is not counted."""
    from harness.store.store import Store

    place = lab.root / f"{stage}.db"
    where = ("--engine", "ray", "--address", address, "--database", f"sqlite:///{place}", "--runtime", runtime)
    done = lab.run("collect", stage, *where)
    assert done.returncode == 0, done.stdout + done.stderr
    rows = csv.DictReader(io.StringIO(lab.run("export", stage, "--database", f"sqlite:///{place}").stdout))
    assert len(list(rows)) == ATTEMPTS[runtime]
    with Store.open(place) as store:
        ends = sorted(
            datetime.fromisoformat(one.facts["ended_at"])
            for attempt in store.attempts(stage)
            for one in store.attempt(attempt.id).tries
        )
    return 60 * (len(ends) - 1) / (ends[-1] - ends[0]).total_seconds()


def test_throughput_grows_with_nodes(
    benchmark: Any, results: Results, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    try:
        import ray  # noqa: F401
    except ImportError:
        results.skip(GROUP, "two nodes of one CPU", "Ray is not installed")
        pytest.skip("needs Ray (requirements/ray.txt)")
    from ray_cluster import two_nodes

    lab = make_lab(tmp_path, tmp_path / "cache")
    monkeypatch.setenv("HOUSE_KEY", "none")  # of the nodes: a key is never sent to them
    rates: dict[str, dict[str, float]] = {name: {} for name in ATTEMPTS}

    def measure(url: str) -> None:
        for runtime, repeats in ATTEMPTS.items():
            for stage in ("warm", "two", "one"):
                write_paid_stage(lab, url, stage=f"{stage}_{runtime}", repeats=repeats, horizon=8)
        with two_nodes() as nodes:
            for runtime, found in rates.items():
                _rate(lab, nodes.address, f"warm_{runtime}", runtime)  # workers start, the base is built, gates run
                found["two"] = _rate(lab, nodes.address, f"two_{runtime}", runtime)
            nodes.kill_second()
            nodes.wait_for(1)
            for runtime, found in rates.items():
                found["one"] = _rate(lab, nodes.address, f"one_{runtime}", runtime)

    with chat_server() as server:
        server.respond = lambda request: slow(SECONDS, bash(RIGHT if calls_before(request) >= BEFORE else "ls"))
        benchmark.pedantic(measure, (server.url,), rounds=1)
    for runtime, what in (("scripted", "scripted"), ("house", f"a model that takes {SECONDS:g} s a call")):
        found = rates[runtime]
        results.value(GROUP, f"{what}: one node of one CPU", f"{found['one']:.0f}")
        results.value(GROUP, f"{what}: two nodes", f"{found['two']:.0f} ({found['two'] / found['one']:.2f} × one node)")
