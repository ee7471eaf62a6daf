"""Fixtures that all suites share."""

from __future__ import annotations

from pathlib import Path

import pytest

from harness.doctor import examine
from harness.sandbox import host


@pytest.fixture(scope="session")
def sandbox_problem() -> str:
    """Why sandboxes cannot run on this machine; empty when they can."""
    return "; ".join(f"{check.name}: {check.found}" for check in examine() if check.state == "bad")


@pytest.fixture(autouse=True)
def _needs_bwrap(request: pytest.FixtureRequest) -> None:
    """Skips tests marked ``needs_bwrap`` where no sandbox can run, saying why."""
    if request.node.get_closest_marker("needs_bwrap"):
        problem = request.getfixturevalue("sandbox_problem")
        if problem:
            pytest.skip(f"no sandbox here: {problem}")


def pytest_configure(config: pytest.Config) -> None:
    """Root takes its private mount namespace before any thread starts."""
    if host.is_root():
        host.prepare()


@pytest.fixture
def state(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A fresh state directory."""
    folder = tmp_path / "state"
    monkeypatch.setenv("RESTARTLAB_STATE", str(folder))
    return folder
