"""Images of SWE-bench-format instances in a test's engine: a record of format 5, and what builds its image."""

from __future__ import annotations

import importlib.util
import json
import secrets
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from types import ModuleType
from typing import Any

from tiny_instances import record

PROJECT = Path(__file__).resolve().parents[2]

_SCRIPT = """#!/bin/bash
set -uxo pipefail
source /opt/miniconda3/bin/activate
conda activate testbed
cd /testbed
git checkout {base} tinypkg/tests/test_core.py
git apply -v - <<'EOF_patch'
{patch}EOF_patch
: '>>>>> Start Test Output'
python - <<'EOF_tests'
import sys, traceback
sys.path.insert(0, "/testbed")
from tinypkg.tests import test_core
for name in sorted(vars(test_core)):
    if name.startswith("test_"):
        try:
            vars(test_core)[name]()
        except Exception:
            print("FAILED", name)
        else:
            print("PASSED", name)
EOF_tests
: '>>>>> End Test Output'
git checkout {base} tinypkg/tests/test_core.py
"""


def build_script() -> ModuleType:
    """docker/instance.py as a module."""
    spec = importlib.util.spec_from_file_location("build_instance", PROJECT / "docker" / "instance.py")
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def image_record(base: str, test_patch: str) -> dict[str, Any]:
    """The tiny record in format 5, under an image name of its own on a registry that nobody reaches."""
    return record(base, test_patch) | {
        "image": f"127.0.0.1:9/restartlab-test/{secrets.token_hex(6)}:latest", "log_parser": "parse_log_pytest",
        "eval_type": "pass_and_fail", "eval_script": _SCRIPT.format(base=base, patch=test_patch),
        "FAIL_TO_PASS": json.dumps(["test_doubles"]), "PASS_TO_PASS": json.dumps(["test_half", "test_two"]),
    }  # fmt: skip


@contextmanager
def removed_afterwards(name: str) -> Iterator[None]:
    """Removes the image called ``name`` at the end."""
    from docker.errors import ImageNotFound

    from harness.sandbox.docker.engine import client

    try:
        yield
    finally:
        with suppress(ImageNotFound):
            client().api.remove_image(name, force=True)
