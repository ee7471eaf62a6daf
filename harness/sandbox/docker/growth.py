"""How much a container has written into its own tree, which is the engine's to know."""

from __future__ import annotations

import time

from harness.sandbox.docker.engine import client
from harness.sandbox.interface import Limits

#: Seconds between looks (each has the engine add up the container's files), and between looks at other limits.
_EVERY, _PAUSE = 2.0, 0.05


class Growth:
    """The disk side of a ``Watchdog``, for a container that shows its image's own tree. Files are not counted."""

    def __init__(self, container: str, limits: Limits):
        self._container, self._limit = container, limits.disk_bytes
        self._due = time.monotonic() + _EVERY

    def disk_pause(self) -> float:
        """Seconds for which nothing needs to be looked at."""
        return _PAUSE

    def exceeded_disk(self, *, now: bool = False) -> str | None:
        """``disk`` if the container wrote more than it may; looks when that is due, or ``now``."""
        if not now and time.monotonic() < self._due:
            return None
        found = client().api.containers(all=True, size=True, filters={"id": self._container})
        self._due = time.monotonic() + _EVERY
        written = max((int(one.get("SizeRw") or 0) for one in found), default=0)
        return "disk" if written > self._limit else None
