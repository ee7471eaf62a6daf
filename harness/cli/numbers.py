"""Lists of numbers as option values."""

from __future__ import annotations

from harness.errors import InputError


def whole_numbers(text: str, option: str) -> list[int]:
    """``4,8,12`` as numbers.

    Raises:
        InputError: anything else.
    """
    parts = [part.strip() for part in text.split(",")]
    if not all(part.isascii() and part.isdigit() and len(part) < 10 for part in parts):
        raise InputError(f"{text!r} is no list of whole numbers", file=option, mend="write them as 4,8,12")
    return [int(part) for part in parts]


def fractions(text: str, option: str, count: int) -> list[float]:
    """``0.8,0.2`` as that many fractions.

    Raises:
        InputError: anything else, or a number outside [0, 1].
    """
    try:
        values = [float(part) for part in text.split(",")]
    except ValueError:
        values = []
    if len(values) != count or not all(0 <= value <= 1 for value in values):
        raise InputError(f"{text!r} is not {count} fractions", file=option, mend="write them as 0.8,0.2")
    return values


def one_effect(text: str) -> tuple[float, float]:
    """``0.8,0.2`` as the rates of restart and continue, which must differ."""
    p, q = fractions(text, "--effect", 2)
    if p == q:
        raise InputError(f"{text!r} is no effect", file="--effect", mend="give two different rates, such as 0.8,0.2")
    return p, q
