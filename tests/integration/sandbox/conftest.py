"""Real sandboxes over small folders."""

from __future__ import annotations

from pathlib import Path

import pytest
from boxes import Box, make_box, open_folder

from harness.sandbox import host


@pytest.fixture(scope="session")
def room(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder that the sandbox's uid may pass; every box of the session lies below it."""
    folder = open_folder(tmp_path_factory.mktemp("room"))
    host.visible(folder)
    return folder


@pytest.fixture
def box_folder(room: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A fresh folder below the room; the cache is the room's."""
    monkeypatch.setenv("XDG_CACHE_HOME", str(room / "cache"))
    return room / f"{tmp_path.parent.name}-{tmp_path.name}"


@pytest.fixture
def box(box_folder: Path) -> Box:
    """A sandbox with an empty workspace and no limit that a probe would reach."""
    return make_box(box_folder)


@pytest.fixture(scope="session")
def shared_box(room: Path) -> Box:
    """One sandbox for probes that change nothing."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("XDG_CACHE_HOME", str(room / "cache"))
        return make_box(room / "shared", {"given": b"given\n"})
