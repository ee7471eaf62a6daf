"""Numbers as published tables show them: half up at three decimals, and intervals nearest or outward."""

from __future__ import annotations

from decimal import ROUND_CEILING, ROUND_FLOOR, ROUND_HALF_UP, Decimal
from fractions import Fraction

#: A double this close below a half is taken as that half: sums of binary fractions carry such errors.
_DECIMALS = 12


def half_up(value: float | Fraction, digits: int = 3) -> str:
    """A number rounded half away from zero (.0625 is .063, which Python's own format makes .062).

    >>> half_up(1 / 16), half_up(-0.0625), half_up(5 / 16)
    ('0.063', '-0.063', '0.313')
    """
    return str(_rounded(value, digits, ROUND_HALF_UP))


def outward(low: float, high: float, digits: int = 3) -> tuple[str, str]:
    """Ends of an interval, the lower one down and the upper one up, so that what is shown still covers.

    >>> outward(0.04047, 0.45646)
    ('0.040', '0.457')
    """
    return str(_rounded(low, digits, ROUND_FLOOR)), str(_rounded(high, digits, ROUND_CEILING))


def _rounded(value: float | Fraction, digits: int, how: str) -> Decimal:
    if isinstance(value, Fraction):
        exact = Decimal(value.numerator) / Decimal(value.denominator)
    else:
        exact = Decimal(repr(float(value)))
    found = round(exact, _DECIMALS).quantize(Decimal(1).scaleb(-digits), rounding=how)
    return found + 0 if found else abs(found)
