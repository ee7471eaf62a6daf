"""A cache for the session's bases, a state directory for each test."""

from __future__ import annotations

from pathlib import Path

import pytest


@pytest.fixture(scope="session")
def recovery_cache(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A cache that all tests share."""
    return tmp_path_factory.mktemp("recovery-cache")


@pytest.fixture(autouse=True)
def _places(state: Path, recovery_cache: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(recovery_cache))
