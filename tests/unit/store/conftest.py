"""Every store test runs on SQLite, and on PostgreSQL too when RESTARTLAB_TEST_POSTGRES holds a URL."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from databases import empty_database

from harness.store.store import Store

HERE = Path(__file__).parent
PROJECT = HERE.parents[2]
# Helper modules of this folder, whatever import mode pytest is run in.
sys.path.insert(0, str(HERE))


@pytest.fixture(params=["sqlite", "postgresql"])
def place(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[str]:
    with empty_database(request.param, tmp_path) as url:
        yield url


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
