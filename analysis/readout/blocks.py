"""Blocks of repeats that are compared with each other: every pair, enumerated exactly; nothing is sampled."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import combinations
from math import comb
from typing import Literal, get_args

import numpy as np
from numpy.typing import NDArray

from analysis.errors import InputError

Design = Literal["split", "all_pairs"]
DESIGNS: tuple[str, ...] = get_args(Design)

#: Most blocks of a side; more pairs of them than can be enumerated in seconds.
MOST_BLOCKS = 4_000


@dataclass(frozen=True)
class Blocks:
    """Pairs (A, B) of blocks of ``k`` repeats, the same repeat numbers for every action.

    Args:
        first: blocks that A can be, shape (blocks, R), 0 or 1.
        second: blocks that B can be.
        apart: 1 where a pair counts (the blocks share no repeat), shape (blocks of first, blocks of second).
        evaluation: repeats that judge what a block of ``first`` chose, same shape as ``first``.
    """

    k: int
    first: NDArray[np.float64]
    second: NDArray[np.float64]
    apart: NDArray[np.float64]
    evaluation: NDArray[np.float64]

    @property
    def pairs(self) -> int:
        """How many (A, B) count."""
        return int(self.apart.sum())


def halves(repeats: int) -> tuple[range, range]:
    """The selection half (the first half of the repeats) and the evaluation half (the others)."""
    return range(repeats // 2), range(repeats // 2, repeats)


def blocks_of(repeats: int, k: int, design: str = "split") -> Blocks:
    """All pairs of a design.

    ``split``: A from the first half of the repeats, B from the others, every pair: 16, 36, 1 of 8 repeats at k = 1, 2,
    4. ``all_pairs``: every ordered pair of disjoint blocks: 56, 420, 70.

    Raises:
        InputError: an unknown design, or blocks that do not fit or are too many.
    """
    if design not in DESIGNS:
        raise InputError(f"{design!r} is not a design", file="--design", mend=f"choose one of {', '.join(DESIGNS)}")
    if not 1 <= k <= repeats // 2:
        what = f"two blocks of {k} repeats do not fit into {repeats}"
        raise InputError(what, file="--k", mend=f"choose 1 to {repeats // 2}")
    selection, evaluation = halves(repeats)
    among = [range(repeats)] * 2 if design == "all_pairs" else [selection, evaluation]
    for places in among:
        if comb(len(places), k) > MOST_BLOCKS:
            what = f"{comb(len(places), k)} blocks of {k} of {len(places)} repeats are too many to enumerate"
            raise InputError(what, file="--k", mend="choose a smaller k, or the split design")
    first, second = (_indicators(places, k, repeats) for places in among)
    apart = (first @ second.T == 0).astype(np.float64)
    judges = 1.0 - first
    if design == "split":
        judges = np.repeat(_indicators(evaluation, len(evaluation), repeats), len(first), axis=0)
    return Blocks(k, first, second, apart, judges)


def _indicators(places: range, k: int, repeats: int) -> NDArray[np.float64]:
    chosen = list(combinations(places, k))
    found = np.zeros((len(chosen), repeats))
    for row, block in enumerate(chosen):
        found[row, list(block)] = 1.0
    return found
