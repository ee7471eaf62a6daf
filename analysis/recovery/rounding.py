"""Exact decimal arithmetic on measurements, so that 2.675 is 2.675 and rounds to 2.68 on every machine."""

from __future__ import annotations

from collections.abc import Iterable
from decimal import ROUND_HALF_UP, Context, Decimal, localcontext
from fractions import Fraction

_CENT = Decimal("0.01")
#: Digits enough for sums of thousands of products of doubles' shortest texts.
_EXACT = Context(prec=400)


def exact(value: float | Decimal) -> Fraction:
    """The number that the shortest decimal text of ``value`` names: 0.1 is one tenth."""
    return Fraction(value) if isinstance(value, Decimal) else Fraction(Decimal(repr(value)))


def round2(value: float | Fraction) -> float:
    """Two decimals, halves away from zero: of a float's shortest decimal text, or of a fraction's exact value."""
    with localcontext(_EXACT):
        number = value if isinstance(value, Fraction) else exact(value)
        shown = Decimal(number.numerator) / Decimal(number.denominator)
        return float(shown.quantize(_CENT, rounding=ROUND_HALF_UP))


def mean(values: Iterable[float | Fraction]) -> Fraction:
    """Exact mean of at least one value."""
    numbers = [value if isinstance(value, Fraction) else exact(value) for value in values]
    return sum(numbers, Fraction(0)) / len(numbers)
