"""``analysis`` works from event tables alone."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

PROJECT = Path(__file__).resolve().parents[3]
PROGRAM = """
import importlib, pkgutil, sys
import analysis
for module in pkgutil.walk_packages(analysis.__path__, "analysis."):
    importlib.import_module(module.name)
print(*sorted({name.partition(".")[0] for name in sys.modules}))
"""


def test_no_module_of_analysis_pulls_in_the_laboratory() -> None:
    done = subprocess.run([sys.executable, "-c", PROGRAM], cwd=PROJECT, capture_output=True, text=True, check=True)
    loaded = set(done.stdout.split())
    assert "analysis" in loaded
    assert loaded & {"harness", "verifiers", "tasks", "litellm", "minisweagent", "docker", "sqlalchemy"} == set()
