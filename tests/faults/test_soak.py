"""A short soak; ``make soak`` runs a long one."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

SCRIPT = Path(__file__).resolve().parents[1] / "support" / "soak.py"


@pytest.mark.needs_bwrap
def test_a_collection_that_is_killed_again_and_again_ends_as_if_it_had_not_been(tmp_path: Path) -> None:
    command = [sys.executable, str(SCRIPT), "--kills", "6", "--seed", "7", "--repeats", "6", "--keep", str(tmp_path)]
    done = subprocess.run(command, capture_output=True, text=True, env=os.environ | {"PYTHONUNBUFFERED": "1"})
    assert done.returncode == 0, done.stdout + done.stderr
    assert ": 6 kills (" in done.stdout
    assert done.stdout.rstrip().endswith("; 0 faults")
