"""Finds a Python on this host for a sandbox, and says which of its folders must be hidden there."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

from harness.errors import InputError

_PROBE = """
import json, site, sys, sysconfig
paths = sysconfig.get_paths()
packages = {paths["purelib"], paths["platlib"], *site.getsitepackages()}
print(json.dumps({
    "version": "%d.%d" % sys.version_info[:2], "full": sys.version.split()[0],
    "executable": getattr(sys, "_base_executable", sys.executable), "prefix": sys.base_prefix,
    "stdlib": paths["stdlib"], "packages": sorted(packages), "tag": sys.implementation.cache_tag,
    "venv": sys.prefix != sys.base_prefix}))
"""


@dataclass(frozen=True)
class Interpreter:
    """A Python installation of this host."""

    version: str
    """Like ``3.11``."""
    full_version: str
    executable: Path
    """The real binary, links resolved."""
    prefix: Path
    stdlib: Path
    packages: tuple[Path, ...]
    """Its package folders; hidden in the sandbox, since they could hold anything."""


@lru_cache(maxsize=32)
def inspect(executable: str) -> Interpreter | None:
    """What ``executable`` says of itself; None when it does not run."""
    try:
        done = subprocess.run(
            [executable, "-I", "-c", _PROBE], capture_output=True, timeout=30, stdin=subprocess.DEVNULL
        )
        facts = json.loads(done.stdout)
    except (OSError, ValueError, subprocess.TimeoutExpired):
        return None
    if facts["venv"]:
        return inspect(facts["executable"]) if facts["executable"] != executable else None
    return Interpreter(
        version=facts["version"],
        full_version=facts["full"],
        executable=Path(os.path.realpath(facts["executable"])),
        prefix=Path(facts["prefix"]),
        stdlib=Path(facts["stdlib"]),
        packages=tuple(Path(p) for p in facts["packages"]),
    )


def choose(versions: Sequence[str], *, own_first: bool = True) -> Interpreter:
    """The interpreter for a task that is qualified on ``versions``: the first of them that is installed.

    Args:
        own_first: take the one that runs restartlab if it fits, whatever the order of ``versions``.

    Raises:
        InputError: none of them is installed.
    """
    own = inspect(getattr(sys, "_base_executable", sys.executable))
    if own and own.version in versions and own_first:
        return own
    for version in versions:
        if own and own.version == version:
            return own
        for place in _places(version):
            candidate = inspect(place)
            if candidate and candidate.version == version:
                return candidate
    raise InputError(
        f"no Python {' or '.join(versions)} is installed for the sandbox",
        mend="install one of them (a package of the distribution is enough, as is pyenv or uv), and see that it is on "
        "PATH or where they put theirs",
    )


def _places(version: str) -> Iterator[str]:
    """Where a Python of that version may be: on PATH, then where pyenv and uv install them."""
    found = shutil.which(f"python{version}")
    if found:
        yield found
    home = Path.home()
    pyenv = Path(os.environ.get("PYENV_ROOT") or home / ".pyenv") / "versions"
    uv = Path(os.environ.get("UV_PYTHON_INSTALL_DIR") or home / ".local" / "share" / "uv" / "python")
    for folder, pattern in ((pyenv, f"{version}.*"), (uv, f"cpython-{version}.*")):
        yield from sorted((str(path) for path in folder.glob(f"{pattern}/bin/python{version}")), reverse=True)
