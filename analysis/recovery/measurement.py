"""Refuses what is no measurement, by name: a score is only as good as what goes into it."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

from analysis.errors import InputError
from analysis.recovery.records import DIMENSIONS

MODES = ("strict", "compat")


def finite(name: str, value: object, *, file: object = None, row: int | None = None) -> float:
    """``value`` as a finite number.

    Raises:
        InputError: a missing value, a boolean, a text, NaN or an infinity; the error names it.
    """
    if value is None:
        wrong = "is missing"
    elif isinstance(value, bool):
        wrong = f"is the truth value {value}"
    elif not isinstance(value, int | float):
        wrong = f"is {value!r}, no number" if isinstance(value, str) else f"is a {type(value).__name__}, no number"
    else:
        try:
            number = float(value)
        except OverflowError:
            number = math.inf
        if math.isfinite(number):
            return number
        wrong = f"is {value}, not finite" if isinstance(value, float) else "is too large for a number"
    mend = "give the finite number that was measured"
    raise InputError(f"{name} {wrong}", file=file, row=row, column=name, mend=mend)


def amount(name: str, value: object, *, file: object = None, row: int | None = None) -> float | None:
    """An amount of at least 0 that may be unknown (None).

    Raises:
        InputError: as ``finite``; negative.
    """
    if value is None:
        return None
    number = finite(name, value, file=file, row=row)
    if number < 0:
        raise InputError(f"{name} is {number:g}, below 0", file=file, row=row, column=name, mend="give null if unknown")
    return number


def dimensions(
    given: object, mode: str = "strict", *, file: object = None, row: int | None = None
) -> tuple[dict[str, float], list[str]]:
    """The six shares, and what was changed about them (``compat`` alone clamps to [0, 1], and says so).

    Raises:
        InputError: one is missing, unknown, no finite number, or outside [0, 1] in ``strict``.
    """
    if not isinstance(given, Mapping):
        shown = "missing" if given is None else f"a {type(given).__name__}"
        raise InputError(f"dimensions are {shown}", file=file, row=row, column="dimensions",
                         mend=f"give an object with {', '.join(DIMENSIONS)}")  # fmt: skip
    foreign = sorted(str(key) for key in given if key not in DIMENSIONS)
    if foreign:
        raise InputError(f"dimensions.{foreign[0]} is no dimension", file=file, row=row,
                         column=f"dimensions.{foreign[0]}", mend=f"there are {', '.join(DIMENSIONS)}")  # fmt: skip
    found, notes = {}, []
    for letter in DIMENSIONS:
        name = f"dimensions.{letter}"
        value = finite(name, given.get(letter), file=file, row=row)
        if not 0 <= value <= 1:
            if mode == "strict":
                raise InputError(f"{name} is {value:g}, outside [0, 1]", file=file, row=row, column=name,
                                 mend="mend the measurement, or score with --measurements compat")  # fmt: skip
            clamped = min(1.0, max(0.0, value))
            notes.append(f"{name} is {value:g}, outside [0, 1]; {clamped:g} was scored")
            value = clamped
        found[letter] = value
    return found, notes


def contradictions(strict_pass: bool, shares: Mapping[str, Any] | None, flags: frozenset[str]) -> list[str]:
    """What does not go with a strict pass; a warning, since the verdict is the verifier's and is not derived here."""
    if not strict_pass:
        return []
    found = [f"strict pass with the flag {flag}" for flag in sorted(flags)]
    if shares is not None and shares["F"] < 0.5:
        found.append(f"strict pass with F = {shares['F']:g}, below 0.5")
    return found
