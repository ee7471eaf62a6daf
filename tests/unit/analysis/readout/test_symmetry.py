"""Laws of best-action sets: against enumeration of all outcomes, and the symmetry for any pair of rates."""

from __future__ import annotations

from fractions import Fraction
from itertools import product

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from analysis.errors import InputError
from analysis.readout.symmetry import expected_agreement, expected_held_out, partner, path_law, set_law

rates = st.fractions(0, 1, max_denominator=20)


def enumerated(p: list[Fraction], n: int, costs: list[Fraction]) -> dict[tuple[int, ...], Fraction]:
    found: dict[tuple[int, ...], Fraction] = {}
    for draws in product((0, 1), repeat=n * len(p)):
        chance = Fraction(1)
        sums = []
        for place, rate in enumerate(p):
            mine = draws[place * n : (place + 1) * n]
            for draw in mine:
                chance *= rate if draw else 1 - rate
            sums.append(sum(mine) - n * costs[place])
        best = tuple(place for place, value in enumerate(sums) if value == max(sums))
        found[best] = found.get(best, Fraction(0)) + chance
    return {best: chance for best, chance in found.items() if chance}


@settings(max_examples=40, deadline=None)
@given(st.lists(rates, min_size=2, max_size=3), st.integers(1, 3), st.booleans())
def test_a_law_is_that_of_all_outcomes(p: list[Fraction], n: int, costly: bool) -> None:
    costs = [Fraction(place, 20) if costly else Fraction(0) for place in range(len(p))]
    law = set_law(p, n, costs)
    assert law == enumerated(p, n, costs)
    assert sum(law.values()) == 1


@settings(max_examples=60, deadline=None)
@given(rates, rates, st.integers(1, 12))
def test_sets_do_not_tell_partners_apart(one: Fraction, two: Fraction, n: int) -> None:
    other = partner((one, two))
    assert partner(other) == (one, two)
    assert set_law((one, two), n) == set_law(other, n)
    assert path_law((one, two), min(n, 5)) == path_law(other, min(n, 5))


@settings(max_examples=30, deadline=None)
@given(rates, rates, st.integers(1, 5))
def test_the_last_set_of_a_path_has_the_law_of_sets(one: Fraction, two: Fraction, n: int) -> None:
    found: dict[tuple[int, ...], Fraction] = {}
    for path, chance in path_law((one, two), n).items():
        assert len(path) == n
        if chance:
            found[path[-1]] = found.get(path[-1], Fraction(0)) + chance
    assert found == set_law((one, two), n)


def test_agreement_is_blind_to_success_and_held_out_success_is_not() -> None:
    works, fails = (Fraction(1), Fraction(1)), (Fraction(0), Fraction(0))
    for p, success in ((works, 1), (fails, 0)):
        law = set_law(p, 4)
        assert (expected_agreement(law), expected_held_out(law, p)) == (1, success)


@pytest.mark.parametrize("p", [[Fraction(1, 2)], [Fraction(3, 2), Fraction(0)], [Fraction(1, 2)] * 7])
def test_impossible_rates_are_refused(p: list[Fraction]) -> None:
    with pytest.raises(InputError):
        set_law(p, 2)
    with pytest.raises(InputError, match="n = 0 draws"):
        set_law([Fraction(1, 2)] * 2, 0)
