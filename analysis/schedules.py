"""Schedules: lists of episode caps spent against a total budget of calls (Appendix C of the timing paper)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from itertools import count, cycle, islice
from typing import Any

from analysis.errors import InputError


@dataclass(frozen=True)
class Schedule:
    """A restart policy: a fresh attempt per episode, each with a cap, until the budget or the list ends.

    Args:
        kind: single, fixed, geometric, luby or caps.
        params: what defines it, as in the JSON output.
        release: whether a protocol terminal gives the episode's unused calls to the next one.
        listed: the caps of a finite list; None for an endless rule.
        repeat: whether a finite list starts anew when it is exhausted.
    """

    kind: str
    params: Mapping[str, Any] = field(default_factory=dict)
    release: bool = True
    listed: tuple[int, ...] | None = None
    repeat: bool = False

    def caps(self, budget: int) -> tuple[int, ...]:
        """Caps, not truncated, of all episodes that ``budget`` calls can pay for (each costs a call at least)."""
        return tuple(islice(self._rule(budget), budget))

    def spans(self, budget: int) -> tuple[int, ...]:
        """The longest that each episode can last, whatever the outcomes; its greatest reachable min(cap, calls left).

        With release an earlier terminal may have left up to all but one call of each earlier episode.
        """
        left, spans = budget, []
        for cap in self.caps(budget):
            if left <= 0:
                break
            spans.append(min(cap, left))
            left -= 1 if self.release else spans[-1]
        return tuple(spans)

    def _rule(self, budget: int) -> Iterator[int]:
        if self.listed is not None:
            return cycle(self.listed) if self.repeat else iter(self.listed)
        if self.kind == "single":
            return iter((budget,))
        if self.kind == "fixed":
            return cycle((int(self.params["cutoff"]),))
        if self.kind == "geometric":
            first, ratio = int(self.params["first"]), Fraction(str(self.params["ratio"]))
            return (min(int(first * ratio**i), budget) for i in count())
        return (int(self.params["unit"]) * luby_term(i) for i in count(1))


def single() -> Schedule:
    """One attempt up to the budget; nothing is released."""
    return Schedule("single", {}, release=False)


def fixed(cutoff: int, *, release: bool = True) -> Schedule:
    """Attempts of at most ``cutoff`` calls until the budget is spent, the last one truncated."""
    _check("cutoff", cutoff)
    return Schedule("fixed", {"cutoff": cutoff}, release)


def geometric(first: int, ratio: float | str = 2, *, release: bool = True) -> Schedule:
    """Caps first, first·ratio, first·ratio² ..., rounded down, truncated by the budget left."""
    _check("first", first)
    try:
        exact = Fraction(str(ratio))
    except (ValueError, ZeroDivisionError):
        raise InputError(f"{ratio!r} is not a number", file="--ratio", mend="write a number such as 2 or 1.5") from None
    if exact < 1:
        raise InputError(f"{ratio} is less than 1", file="--ratio", mend="write 1 or more")
    return Schedule(
        "geometric", {"first": first, "ratio": int(exact) if exact.denominator == 1 else float(exact)}, release
    )


def luby(unit: int, *, release: bool = True) -> Schedule:
    """Caps unit·(1, 1, 2, 1, 1, 2, 4, ...) of Luby, Sinclair and Zuckerman (1993)."""
    _check("unit", unit)
    return Schedule("luby", {"unit": unit}, release)


def insurance(caps: Sequence[int], *, repeat: bool = False, release: bool = True) -> Schedule:
    """Explicit caps, such as two probes and one long episode; stops when they are used up unless ``repeat``."""
    if not caps:
        raise InputError("there are no caps", file="--caps", mend="write at least one, such as 15,15,30")
    for cap in caps:
        _check("caps", cap)
    return Schedule("caps", {"caps": list(caps), "repeat": repeat}, release, tuple(caps), repeat)


def luby_term(i: int) -> int:
    """The i-th term, from 1, of the universal sequence: 2^(k-1) for i = 2^k - 1, else term i - 2^(k-1) + 1."""
    while True:
        k = i.bit_length()
        if i == (1 << k) - 1:
            return 1 << (k - 1)
        i -= (1 << (k - 1)) - 1


def _check(name: str, value: int) -> None:
    if value < 1:
        raise InputError(f"{value} is less than 1 call", file=f"--{name}", mend="write 1 or more")
