"""Workspaces on a tiny base, with real overlays."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from boxes import open_folder
from desks import Desk, desk_on, tiny_base

from harness.workspace.base import Base


@pytest.fixture(scope="session")
def lair(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """State and cache of this folder's tests."""
    return open_folder(tmp_path_factory.mktemp("lair"))


@pytest.fixture(autouse=True)
def _in_lair(lair: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(lair / "cache"))
    monkeypatch.setenv("RESTARTLAB_STATE", str(lair / "state"))


@pytest.fixture
def base(_in_lair: None) -> Base:
    """The tiny base; built once per session."""
    return tiny_base()


@pytest.fixture
def site(lair: Path) -> Path:
    """An empty folder of packages."""
    return open_folder(lair / "site")


@pytest.fixture
def desk(base: Base, site: Path) -> Iterator[Desk]:
    """A fresh workspace on the tiny base with a shell."""
    with desk_on(base, site) as opened:
        yield opened
