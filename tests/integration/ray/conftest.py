"""A two-node Ray cluster and databases of both kinds; skipped by name where Ray is not installed."""

from __future__ import annotations

import os
import uuid
from collections.abc import Iterator
from pathlib import Path

import pytest
from ray_cluster import TwoNodes, two_nodes
from sqlalchemy import create_engine, make_url, text
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
    """URL of an empty database: a file, or a schema of its own on the test server."""
    if request.param == "sqlite":
        yield f"sqlite:///{tmp_path}/shared.db"
        return
    server = os.environ.get("RESTARTLAB_TEST_POSTGRES")
    if not server:
        pytest.skip("RESTARTLAB_TEST_POSTGRES holds no URL")
    schema = f"test_{uuid.uuid4().hex[:12]}"
    url = make_url(server).set(drivername="postgresql+psycopg")
    engine = create_engine(url, isolation_level="AUTOCOMMIT")
    with engine.connect() as connection:
        connection.execute(text(f"CREATE SCHEMA {schema}"))
    yield url.update_query_dict({"options": f"-csearch_path={schema}"}).render_as_string(hide_password=False)
    with engine.connect() as connection:
        connection.execute(text(f"DROP SCHEMA {schema} CASCADE"))
    engine.dispose()
