"""One collected monitor stage for all tests of the folder."""

from __future__ import annotations

from pathlib import Path

import pytest
from monitor_stage import write_monitor_stage
from tiny_lab import TinyLab, make_lab


@pytest.fixture(scope="session")
def monitored(tmp_path_factory: pytest.TempPathFactory, tiny_cache: Path) -> TinyLab:
    """A laboratory whose stage ``tinymonitor`` is collected. Read only: copy it to change it."""
    lab = make_lab(tmp_path_factory.mktemp("monitored") / "lab", tiny_cache)
    write_monitor_stage(lab)
    done = lab.run("collect", "tinymonitor")
    assert done.returncode == 0, done.stderr
    return lab
