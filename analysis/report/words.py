"""Numbers and names as a page words them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from itertools import pairwise
from typing import Any

UNKNOWN = "unknown"


def counted(count: int, what: str) -> str:
    """So many of something."""
    return f"{count} {what}" if count == 1 else f"{count} {what}s"


def percent(value: float | None, digits: int = 1, none: str = "–") -> str:
    """A fraction in percent."""
    return none if value is None else f"{100 * value:.{digits}f}".replace("-", "−")


def points(value: float | None, digits: int = 2) -> str:
    """A difference of fractions in percentage points, signed unless zero."""
    if value is None:
        return "–"
    rounded = round(100 * value, digits)
    return f"{rounded:+.{digits}f}".replace("-", "−") if rounded else f"{0:.{digits}f}"


def between(ends: Sequence[float] | None, digits: int = 1) -> str:
    """An interval of fractions in percent."""
    return "–" if ends is None else f"[{percent(ends[0], digits)}, {percent(ends[1], digits)}]"


def reasons(counts: Mapping[str, int]) -> str:
    """Counts by name."""
    return ", ".join(f"{count} {name}" for name, count in counts.items()) or "–"


def amount(known: Mapping[str, Any], form: str) -> str:
    """A total of which some tries may be unknown: those are said, and never taken as zero."""
    if known["known_total"] is None:
        return UNKNOWN
    total = form.format(known["known_total"])
    unknown = known["unknown_tries"]
    return f"{total} + {unknown} unknown" if unknown else total


def mean_amount(known: Mapping[str, Any], form: str) -> str:
    """A mean over the counted attempts of which the amount is known."""
    mean = known["mean_of_known_attempts"]
    return UNKNOWN if mean is None else form.format(mean)


def listed(items: Iterable[Any], none: str = "–") -> str:
    """Items with commas."""
    return ", ".join(map(str, items)) or none


def calls(numbers: Sequence[int]) -> str:
    """Calls as a short list: 4, 6 ... 30 where they are evenly spaced."""
    steps = {b - a for a, b in pairwise(numbers)}
    if len(numbers) > 6 and len(steps) == 1:
        return f"{numbers[0]}, {numbers[1]} … {numbers[-1]}"
    return listed(numbers)


def names(cohort: Mapping[str, Any]) -> list[str]:
    """Stage, runtime and arm; synthetic ones are told apart from others of the same name."""
    mark = " (synthetic)" if cohort["origin"] == "synthetic" else ""
    return [cohort["stage"], cohort["runtime"] + mark, cohort["arm"]]
