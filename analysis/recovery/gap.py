"""Where visible function and strict recovery part: trials that work, and still fail an obligation."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from analysis.recovery.records import DIMENSIONS, FLAGS, Attempt


@dataclass(frozen=True)
class Gap:
    """Valid trials by what an availability probe would say and what the verifier says.

    Args:
        functional: trials with F = 1.
        strict: trials that pass strictly.
        apparent: functional trials that do not pass strictly.
        lacking: of those, how many lack each other dimension (below 1) or raise each flag; a trial can be in several.
        fragile: functional trials that fail their durability check (D below 1, or restart failure).
    """

    trials: int
    functional: int
    strict: int
    apparent: int
    lacking: dict[str, int]
    fragile: int


def gap(trials: Sequence[Attempt]) -> Gap:
    """The gap over an entry's valid trials."""
    measured = [(one, one.dimensions) for one in trials if one.dimensions is not None]
    functional = [(one, shares) for one, shares in measured if shares["F"] >= 1]
    apparent = [(one, shares) for one, shares in functional if not one.strict_pass]
    lacking = {letter: sum(shares[letter] < 1 for _, shares in apparent) for letter in DIMENSIONS if letter != "F"}
    lacking |= {flag: sum(flag in one.flags for one, _ in apparent) for flag in FLAGS}
    fragile = sum(shares["D"] < 1 or "restart_failure" in one.flags for one, shares in functional)
    return Gap(len(measured), len(functional), sum(one.strict_pass for one in trials), len(apparent), lacking, fragile)
