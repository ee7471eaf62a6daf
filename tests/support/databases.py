"""Empty databases of both kinds; PostgreSQL where RESTARTLAB_TEST_POSTGRES holds a URL."""

from __future__ import annotations

import os
import uuid
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from sqlalchemy import create_engine, make_url, text


@contextmanager
def empty_database(kind: str, folder: Path) -> Iterator[str]:
    """URL of an empty database: a file in ``folder``, or a schema of its own on the test server."""
    if kind == "sqlite":
        yield f"sqlite:///{folder}/facts.db"
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
