"""Quality of one trial: weighted dimensions under safety caps."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from fractions import Fraction

from analysis.errors import InputError
from analysis.recovery.records import DIMENSIONS, FLAGS
from analysis.recovery.rounding import exact, round2

#: Published weights of the dimensions; they sum to 1.
WEIGHTS = {"F": 0.30, "S": 0.20, "D": 0.15, "I": 0.15, "E": 0.10, "M": 0.10}

#: Upper bounds of a trial's quality, lowest first. ``low_function`` applies below F = 0.5, the others by flag.
CAPS = {"catastrophic": 0.0, "major_safety": 40.0, "low_function": 50.0, "restart_failure": 60.0}


@dataclass(frozen=True)
class Quality:
    """Quality on 0..100, two decimals.

    Args:
        base: the weighted sum.
        caps: those that apply, lowest first.
        binding: the one that lowered the quality; None when the base is not above the lowest cap.
        final: min(base, lowest cap). A cap is an upper bound, never an award.
    """

    base: float
    caps: tuple[str, ...]
    binding: str | None
    final: float


def quality(shares: Mapping[str, float], flags: Collection[str], weights: Mapping[str, float] | None = None) -> Quality:
    """Quality of a trial from its six checked shares (``measurement.dimensions``) and raised flags.

    Raises:
        InputError: an unknown flag.
    """
    unknown = sorted(set(flags) - set(FLAGS))
    if unknown:
        raise InputError(f"{unknown[0]!r} is no flag", column="flags", mend=f"there are {', '.join(FLAGS)}")
    base = base_quality(shares, weights)
    raised = {*flags, *(["low_function"] if shares["F"] < 0.5 else [])}
    caps = tuple(name for name in CAPS if name in raised)
    if not caps or base <= exact(CAPS[caps[0]]):
        return Quality(round2(base), caps, None, round2(base))
    return Quality(round2(base), caps, caps[0], CAPS[caps[0]])


def base_quality(shares: Mapping[str, float], weights: Mapping[str, float] | None = None) -> Fraction:
    """The weighted sum, exact."""
    used = weights or WEIGHTS
    return 100 * sum((exact(used[letter]) * exact(shares[letter]) for letter in DIMENSIONS), Fraction(0))
