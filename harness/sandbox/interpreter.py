"""Finds a Python on this host for a sandbox, and says which of its folders must be hidden there."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from collections.abc import Sequence
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


def choose(versions: Sequence[str]) -> Interpreter:
    """The interpreter for a task that is qualified on ``versions``: this one if it fits, else the first on PATH.

    Raises:
        InputError: none of them is installed.
    """
    own = inspect(getattr(sys, "_base_executable", sys.executable))
    if own and own.version in versions:
        return own
    for version in versions:
        found = shutil.which(f"python{version}")
        candidate = inspect(found) if found else None
        if candidate and candidate.version == version:
            return candidate
    raise InputError(
        f"no Python {' or '.join(versions)} is installed for the sandbox",
        mend="install one of them (a package of the distribution is enough) and see that it is on PATH",
    )
