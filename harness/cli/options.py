"""Option values that several commands share."""

from __future__ import annotations

from pathlib import Path

from harness.paths import state_dir


def database_place(given: str | None) -> str | Path:
    """The database to use: a URL, a path, or the one in the state directory."""
    if given is None:
        return state_dir() / "restartlab.db"
    return given if "://" in given else Path(given)
