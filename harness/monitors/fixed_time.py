"""Fixed time: an attempt is the more stuck the longer it has run. At threshold t the alarm comes after call t."""

from __future__ import annotations

from dataclasses import dataclass

from harness.monitors.prefix import Prefix


@dataclass(frozen=True)
class FixedTime:
    """Score: calls so far. The baseline that every other monitor has to beat."""

    def score(self, prefix: Prefix) -> float:
        return float(prefix.t)
