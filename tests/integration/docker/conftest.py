"""A real Docker engine with the sandbox image; skipped by name where there is none."""

from __future__ import annotations

import fcntl
from collections.abc import Iterator
from pathlib import Path

import pytest
from boxes import Box, make_box, open_folder
from engines import require_engine


@pytest.fixture(scope="session", autouse=True)
def engine() -> None:
    require_engine()


@pytest.fixture(scope="module", autouse=True)
def _engine_to_itself(engine: None, tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """These tests compare all that the engine holds: one file at a time, however many workers pytest has."""
    with open(tmp_path_factory.getbasetemp().parent / "docker.lock", "w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        yield


@pytest.fixture(scope="session")
def room(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return open_folder(tmp_path_factory.mktemp("docker"))


@pytest.fixture
def box_folder(room: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A fresh folder for a box; state and cache of the test are below the room."""
    monkeypatch.setenv("XDG_CACHE_HOME", str(room / "cache"))
    monkeypatch.setenv("RESTARTLAB_STATE", str(room / "state"))
    return room / f"{tmp_path.parent.name}-{tmp_path.name}"


@pytest.fixture
def box(box_folder: Path) -> Iterator[Box]:
    """A started container with an empty workspace."""
    made = make_box(box_folder, {"given": b"given\n"}, kind="docker")
    yield made
    made.sandbox.stop()
