"""A repository with a bug, and its record."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from tiny_instances import make_repository, record


@pytest.fixture(scope="session")
def repository(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, str, str]:
    """(folder of mirrors, base commit, test patch)."""
    repos = tmp_path_factory.mktemp("repos")
    return (repos, *make_repository(repos / "acme" / "tinypkg"))


@pytest.fixture
def tiny(repository: tuple[Path, str, str]) -> dict[str, Any]:
    """The record."""
    return record(*repository[1:])
