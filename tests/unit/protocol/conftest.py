"""Every protocol test works on its own protocol and task directories."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

# Helper modules of this folder, whatever import mode pytest is run in.
sys.path.insert(0, str(Path(__file__).parent))

from protocol_factory import Project


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Project:
    """A checkout with two tasks and no stage."""
    made = Project(tmp_path)
    monkeypatch.setenv("RESTARTLAB_PROTOCOLS", str(made.protocols))
    monkeypatch.setenv("RESTARTLAB_TASKS", str(made.tasks))
    return made
