"""Schedules: their caps, and the longest that episodes can last."""

from __future__ import annotations

import pytest

from analysis.errors import InputError
from analysis.schedules import fixed, geometric, insurance, luby, luby_term, single


def luby_by_definition(terms: int) -> list[int]:
    """1, then twice what was there with the next power of two behind it."""
    sequence, power = [1], 2
    while len(sequence) < terms:
        sequence, power = [*sequence, *sequence, power], power * 2
    return sequence[:terms]


def test_luby_sequence() -> None:
    assert [luby_term(i) for i in range(1, 16)] == [1, 1, 2, 1, 1, 2, 4, 1, 1, 2, 1, 1, 2, 4, 8]
    assert [luby_term(i) for i in range(1, 1001)] == luby_by_definition(1000)


def test_caps() -> None:
    assert single().caps(30) == (30,)
    assert fixed(16).caps(30)[:2] == (16, 16)
    assert geometric(2, 2).caps(30)[:5] == (2, 4, 8, 16, 30)
    assert geometric(2, "1.5").caps(30)[:6] == (2, 3, 4, 6, 10, 15)
    assert luby(3).caps(30)[:4] == (3, 3, 6, 3)
    assert insurance([15, 15, 30]).caps(60) == (15, 15, 30)
    assert insurance([1, 2], repeat=True).caps(5) == (1, 2, 1, 2, 1)


def test_spans() -> None:
    assert fixed(16, release=False).spans(30) == (16, 14)
    assert fixed(16).spans(20) == (16, 16, 16, 16, 16, *range(15, 0, -1))
    assert insurance([15, 15, 30], release=False).spans(60) == (15, 15, 30)
    assert single().spans(30) == (30,)


@pytest.mark.parametrize(
    ("make", "what"),
    [
        (lambda: fixed(0), "--cutoff: 0 is less than 1 call"),
        (lambda: geometric(0), "--first: 0"),
        (lambda: geometric(2, 0.5), "--ratio: 0.5 is less than 1"),
        (lambda: geometric(2, "twice"), "'twice' is not a number"),
        (lambda: luby(-1), "--unit: -1"),
        (lambda: insurance([]), "there are no caps"),
        (lambda: insurance([15, 0]), "--caps: 0"),
    ],
)
def test_refusals(make: object, what: str) -> None:
    with pytest.raises(InputError, match=what):
        make()  # type: ignore[operator]
