"""Where a checkout keeps what it collects, and where caches live."""

from __future__ import annotations

import os
from pathlib import Path

#: The checkout (or installation) that holds protocols/ and tasks/.
PROJECT = Path(__file__).resolve().parent.parent


def state_dir() -> Path:
    """Directory of collected state: ``RESTARTLAB_STATE``, else ``.restartlab`` in the working directory."""
    return Path(os.environ.get("RESTARTLAB_STATE") or ".restartlab").absolute()


def cache_dir() -> Path:
    """Directory of re-creatable caches (base trees): ``$XDG_CACHE_HOME/restartlab``."""
    root = os.environ.get("XDG_CACHE_HOME") or os.path.join(os.path.expanduser("~"), ".cache")
    return Path(root).absolute() / "restartlab"


def protocol_dir() -> Path:
    """Directory of stage files and FROZEN.yaml: ``RESTARTLAB_PROTOCOLS``, else the checkout's."""
    return Path(os.environ.get("RESTARTLAB_PROTOCOLS") or PROJECT / "protocols").absolute()


def task_dir() -> Path:
    """Directory of task packages: ``RESTARTLAB_TASKS``, else the checkout's."""
    return Path(os.environ.get("RESTARTLAB_TASKS") or PROJECT / "tasks").absolute()


def dataset_places() -> list[str]:
    """SWE-bench-format datasets, as ``RESTARTLAB_DATASETS`` lists them (files, or names on the hub)."""
    return [place for place in os.environ.get("RESTARTLAB_DATASETS", "").split(os.pathsep) if place]


def repos_dir() -> Path | None:
    """Folder of git mirrors: ``RESTARTLAB_REPOS``; None when it is not set."""
    given = os.environ.get("RESTARTLAB_REPOS")
    return Path(given).absolute() if given else None
