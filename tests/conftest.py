"""Fixtures that all suites share."""

from __future__ import annotations

import signal
from pathlib import Path

import pytest
from tiny_lab import TinyLab, make_lab

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
    """Root takes its private mount namespace before any thread starts.

    A shell that starts the suite in the background has it ignore Ctrl-C, and with it every program that a test starts.
    """
    if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
        signal.signal(signal.SIGINT, signal.default_int_handler)
    if host.is_root():
        host.prepare()


@pytest.fixture
def state(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A fresh state directory."""
    folder = tmp_path / "state"
    monkeypatch.setenv("RESTARTLAB_STATE", str(folder))
    return folder


@pytest.fixture(scope="session")
def tiny_cache(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A cache that the tiny laboratories of a session share."""
    return tmp_path_factory.mktemp("cache")


@pytest.fixture
def lab(tmp_path: Path, tiny_cache: Path) -> TinyLab:
    """A laboratory with one tiny task; see tests/support/tiny_lab.py."""
    return make_lab(tmp_path / "lab", tiny_cache)
