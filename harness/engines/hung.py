"""When a job counts as hung: its worker is killed then, and the batch goes on."""

from __future__ import annotations

import math
import time
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from harness.attempt import Unit

#: Beside the limits that the protocol sets: for a verification, for a place among the slots, for building a base
#: (seconds).
MARGIN_SECONDS = 1800.0
#: A gate fetches packages, builds a base and judges some twenty states (seconds).
GATE_SECONDS = 4 * 3600.0


def silence_limit(job: tuple[str, Any]) -> float:
    """Seconds without progress after which a job counts as hung.

    A try writes a line for every call, action, verdict and failed request. Between two of them it works, for no longer
    than its wall limit allows, or waits, for no longer than one request or back-off lasts.
    """
    kind, payload = job
    if kind != "try":
        return GATE_SECONDS
    limits, retry = payload.protocol.limits, payload.protocol.retry
    return float(limits.wall_seconds + limits.command_seconds + retry.wait_seconds_max) + MARGIN_SECONDS


@dataclass
class Silence:
    """How long a job has made no progress: its trajectory did not grow. By the monotonic clock."""

    limit: float = math.inf
    path: Path | None = None
    _size: int = -1
    _since: float = field(default_factory=time.monotonic)

    @classmethod
    def of(cls, job: tuple[str, Any]) -> Silence:
        """Of a job that begins now."""
        return cls(silence_limit(job), job[1].trajectory if isinstance(job[1], Unit) else None)

    def too_long(self) -> bool:
        """Whether the job counts as hung."""
        size = -1
        if self.path is not None:
            with suppress(OSError):
                size = self.path.stat().st_size
        if size != self._size:
            self._size, self._since = size, time.monotonic()
        return time.monotonic() - self._since > self.limit
