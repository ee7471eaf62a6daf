"""Every store test runs on SQLite, and on PostgreSQL too when RESTARTLAB_TEST_POSTGRES holds a URL."""

from __future__ import annotations

import os
import subprocess
import sys
import uuid
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from sqlalchemy import create_engine, make_url, text

from harness.store.store import Store

HERE = Path(__file__).parent
PROJECT = HERE.parents[2]
# Helper modules of this folder, whatever import mode pytest is run in.
sys.path.insert(0, str(HERE))


@pytest.fixture(params=["sqlite", "postgresql"])
def place(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[str]:
    """URL of an empty database: a file, or a schema of its own on the test server."""
    if request.param == "sqlite":
        yield f"sqlite:///{tmp_path}/facts.db"
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


@pytest.fixture
def store(place: str) -> Iterator[Store]:
    """An open store on an empty database."""
    with Store.open(place) as opened:
        yield opened


@pytest.fixture
def child() -> Iterator[Callable[..., subprocess.Popen[str]]]:
    """Starts ``store_child.py`` with arguments; children that still run are killed at the end."""
    started: list[subprocess.Popen[str]] = []

    def start(*arguments: str) -> subprocess.Popen[str]:
        process = subprocess.Popen(
            [sys.executable, str(HERE / "store_child.py"), *arguments],
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            env=os.environ | {"PYTHONPATH": str(PROJECT)},
        )
        started.append(process)
        return process

    yield start
    for process in started:
        process.kill()
        process.communicate()
