"""A two-node Ray cluster and databases of both kinds; skipped by name where Ray is not installed."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from databases import empty_database
from ray_cluster import TwoNodes, two_nodes
from tiny_lab import TinyLab, make_lab


@pytest.fixture
def nodes() -> Iterator[TwoNodes]:
    pytest.importorskip("ray", reason="needs Ray (requirements/ray.txt)")
    with two_nodes() as cluster:
        yield cluster


@pytest.fixture
def lab(tmp_path: Path, tmp_path_factory: pytest.TempPathFactory) -> TinyLab:
    made = make_lab(tmp_path, tmp_path_factory.getbasetemp() / "ray-cache")
    made.write_stage("tiny", repeats=6)
    assert made.run("freeze", "tiny").returncode == 0
    return made


@pytest.fixture(params=["sqlite", "postgresql"])
def database(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[str]:
    with empty_database(request.param, tmp_path) as url:
        yield url
