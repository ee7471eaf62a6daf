"""Repeated format errors: replies that do not parse, one after the other."""

from __future__ import annotations

from dataclasses import dataclass

from harness.monitors.prefix import Prefix


@dataclass(frozen=True)
class FormatErrors:
    """Score: malformed replies in a row, up to the last call."""

    def score(self, prefix: Prefix) -> float:
        run = 0
        for call in reversed(prefix.calls):
            if call.parsed:
                break
            run += 1
        return float(run)
