"""What best-action sets cannot tell apart: exact laws of sets and of whole set paths, in rational numbers.

For two actions of equal cost the set depends on the difference of their sums alone, and (p1, p2) and (1 - p2, 1 - p1)
give every increment of that difference the same law. So (0.9, 0.8) and (0.2, 0.1) have the same sets at every n, and
nothing that is computed from sets distinguishes an action that works from one that does not.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from itertools import product
from math import comb, prod

from analysis.errors import InputError

#: Probabilities of sets, by the set (actions as sorted places).
SetLaw = dict[tuple[int, ...], Fraction]
#: Probabilities of paths of sets at n = 1, 2, ...
PathLaw = dict[tuple[tuple[int, ...], ...], Fraction]

#: Actions whose joint law is enumerated.
_MOST_ACTIONS = 6


def partner(p: tuple[Fraction, Fraction]) -> tuple[Fraction, Fraction]:
    """The two success probabilities that no reading of sets tells from ``p``: (1 - p2, 1 - p1)."""
    return 1 - p[1], 1 - p[0]


def set_law(p: Sequence[Fraction], n: int, costs: Sequence[Fraction] | None = None) -> SetLaw:
    """Law of the best-action set of ``n`` independent Bernoulli draws of each action.

    Args:
        p: success probabilities.
        costs: taken from each action's mean; none: equal costs.

    Returns:
        only sets of positive probability.

    Raises:
        InputError: probabilities outside [0, 1], n below 1, or too many actions.
    """
    chances = _checked(p, n)
    prices = [n * Fraction(cost) for cost in costs] if costs else [Fraction(0)] * len(chances)
    masses = [
        {x - price: comb(n, x) * chance**x * (1 - chance) ** (n - x) for x in range(n + 1)}
        for chance, price in zip(chances, prices, strict=True)
    ]
    below = [Fraction(0)] * len(chances)
    found: dict[tuple[int, ...], Fraction] = {}
    for level in sorted({level for mass in masses for level in mass}):
        at = [mass.get(level, Fraction(0)) for mass in masses]
        for tops in product((True, False), repeat=len(chances)):
            best = tuple(place for place, top in enumerate(tops) if top)
            if best:
                chance = prod((at[i] if top else below[i] for i, top in enumerate(tops)), start=Fraction(1))
                found[best] = found.get(best, Fraction(0)) + chance
        below = [low + here for low, here in zip(below, at, strict=True)]
    return {best: chance for best, chance in sorted(found.items()) if chance}


def path_law(p: tuple[Fraction, Fraction], n: int) -> PathLaw:
    """Law of the whole path of best-action sets at 1, ..., n draws of two actions of equal cost."""
    one, two = _checked(p, n)
    steps = {1: one * (1 - two), -1: two * (1 - one)}
    steps[0] = 1 - steps[1] - steps[-1]
    states: dict[tuple[tuple[tuple[int, ...], ...], int], Fraction] = {((), 0): Fraction(1)}
    for _ in range(n):
        moved: dict[tuple[tuple[tuple[int, ...], ...], int], Fraction] = {}
        for (path, lead), chance in states.items():
            for step, mass in steps.items():
                if mass:
                    now = lead + step
                    key = (*path, (0,) if now > 0 else (1,) if now < 0 else (0, 1)), now
                    moved[key] = moved.get(key, Fraction(0)) + chance * mass
        states = moved
    found: PathLaw = {}
    for (path, _), chance in states.items():
        found[path] = found.get(path, Fraction(0)) + chance
    return found


def expected_agreement(law: SetLaw) -> Fraction:
    """Chance that two independent blocks have the same best set."""
    return sum((chance * chance for chance in law.values()), start=Fraction(0))


def expected_held_out(law: SetLaw, p: Sequence[Fraction]) -> Fraction:
    """Success of an action taken uniformly from the best set of a block."""
    return sum(
        (chance * sum((Fraction(p[i]) for i in best), start=Fraction(0)) / len(best) for best, chance in law.items()),
        start=Fraction(0),
    )


def _checked(p: Sequence[Fraction], n: int) -> list[Fraction]:
    chances = [Fraction(chance) for chance in p]
    if not 2 <= len(chances) <= _MOST_ACTIONS:
        raise InputError(f"{len(chances)} actions", mend=f"give 2 to {_MOST_ACTIONS} success probabilities")
    for chance in chances:
        if not 0 <= chance <= 1:
            raise InputError(f"{chance} is not a probability", mend="give fractions in [0, 1]")
    if n < 1:
        raise InputError(f"n = {n} draws", mend="give at least 1")
    return chances
