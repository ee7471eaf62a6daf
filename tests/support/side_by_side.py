"""Measures several things in turn, round by round, so that all of them meet the same load."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Protocol

#: One round of something: what it returns, if anything, is called afterwards, outside the measured time.
Round = Callable[[], Callable[[], object] | None]


class Compare(Protocol):
    """The fixture ``compare``: notes the medians under ``group``, compared with the thing that ``baseline`` names."""

    def __call__(self, group: str, things: dict[str, Round], *, rounds: int, baseline: str) -> None: ...


def side_by_side(things: dict[str, Round], rounds: int) -> dict[str, list[float]]:
    """Seconds of each round of each thing; a round before the first warms caches."""
    times: dict[str, list[float]] = {name: [] for name in things}
    for n in range(rounds + 1):
        for name, thing in things.items():
            started = time.perf_counter()
            clean_up = thing()
            if n:
                times[name].append(time.perf_counter() - started)
            if clean_up:
                clean_up()
    return times
