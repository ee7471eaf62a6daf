"""The two arms of a comparison, counted from cells: a clean restart against continuation of live attempts.

For a cell, a decision call t and a budget B (section 4.3): live L_t = {T > t, E > t}; continuation succeeds when T <=
B, a later terminal is its failure; a restart succeeds when a fresh attempt has T <= B - t.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum

import numpy as np
from numpy.typing import NDArray

from analysis.cells import CENSORED, VERIFIED, Cell
from analysis.errors import InputError, NotIdentified

Counts = NDArray[np.int64]


class Design(StrEnum):
    """How the samples of the two arms of a comparison hang together."""

    ONE_POOL = "one-pool"
    """All attempts are fresh draws, and the live ones among them the continuations: the arms overlap (the paper's)."""
    INDEPENDENT = "independent"
    """Attempts of one arm are never attempts of the other: checkpoint panels, split samples."""
    PAIRS = "pairs"
    """Disjoint (fresh, continuation) pairs in the order of collection."""


@dataclass(frozen=True)
class Pairs:
    """Differences fresh - continuation of the pairs of k comparisons, in order.

    ``difference``: int8 in {-1, 0, 1}, all comparisons one after the other; ``start``: shape (k + 1,), where each
    begins.
    """

    difference: NDArray[np.int8]
    start: Counts

    def _sums(self, what: NDArray[np.bool_]) -> Counts:
        total = np.concatenate(([0], np.cumsum(what)))
        return total[self.start[1:]] - total[self.start[:-1]]

    @property
    def plus(self) -> Counts:
        """Pairs in which only the fresh attempt succeeded. Shape (k,)."""
        return self._sums(self.difference > 0)

    @property
    def minus(self) -> Counts:
        """Pairs in which only the continuation succeeded. Shape (k,)."""
        return self._sums(self.difference < 0)


@dataclass(frozen=True)
class Arms:
    """k comparisons: x of n fresh attempts and y of m live ones succeed. Arrays have shape (k,)."""

    design: Design
    x: Counts
    n: Counts
    y: Counts
    m: Counts
    pairs: Pairs | None = None

    def swapped(self) -> Arms:
        """The same evidence with the names of the arms exchanged."""
        pairs = None if self.pairs is None else Pairs(-self.pairs.difference, self.pairs.start)
        return Arms(self.design, self.y, self.m, self.x, self.n, pairs)


@dataclass(frozen=True)
class Pool:
    """Attempts of all cells in one row, cell after cell. Arrays over attempts but ``size``, which is over cells."""

    size: Counts
    cell: Counts
    position: Counts
    call: Counts
    verified: NDArray[np.bool_]

    def per_cell(self, which: NDArray[np.bool_]) -> Counts:
        """How many of the marked attempts each cell has."""
        return np.bincount(self.cell[which], minlength=len(self.size))

    def live(self, t: int) -> NDArray[np.bool_]:
        """Attempts without a pass or terminal through call t; needs observation through t."""
        return self.call > t


def pool_of(cells: Sequence[Cell], budget: int) -> Pool:
    """Concatenates cells that are all observed through the budget.

    Raises:
        InputError: a horizon is shorter than the budget. Dropping only the attempts that are cut off would select on
            their outcomes, so the rule does not look at them.
        NotIdentified: an attempt was censored (cost or time limit) before the budget.
    """
    size = np.array([cell.n for cell in cells], dtype=np.int64)
    if len(cells) == 0 or int(size.sum()) == 0:
        empty = np.zeros(0, dtype=np.int64)
        return Pool(size, empty, empty, empty, np.zeros(0, dtype=np.bool_))
    event = np.concatenate([cell.event for cell in cells])
    call = np.concatenate([cell.call for cell in cells])
    horizon = np.concatenate([cell.horizon for cell in cells])
    owner = np.repeat(np.arange(len(cells)), size)
    short = horizon < budget
    if short.any():
        first = int(np.flatnonzero(short)[0])
        key = cells[int(owner[first])].key
        raise InputError(
            f"{budget} exceeds the horizon {horizon[first]} of stage {key.stage}, runtime {key.runtime}, arm "
            f"{key.arm}, task {key.task}{_and_more(len(np.unique(owner[short])))}: continuation is not observed "
            "through the budget",
            file="--budget",
            mend=f"use a budget of at most {int(horizon.min())}, or leave the stage out",
        )
    position = np.arange(len(owner)) - np.repeat(np.cumsum(size) - size, size)
    cut = (event == CENSORED) & (call < budget)
    if cut.any():
        first = int(np.flatnonzero(cut)[0])
        key = cells[int(owner[first])].key
        raise NotIdentified(
            f"{int(cut.sum())} attempts were censored before call {budget}, the first in stage {key.stage}, runtime "
            f"{key.runtime}, arm {key.arm}, task {key.task}{_and_more(len(np.unique(owner[cut])))}: whether "
            "continuation succeeds within the budget is not identified",
            known={"observed_through": int(call[cut].min()), "censored_early": int(cut.sum())},
            mend=f"use a budget of at most {int(call[cut].min())}, or read the completion curves (Aalen-Johansen)",
        )
    return Pool(size, owner, position, call.astype(np.int64), event == VERIFIED)


def _and_more(count: int) -> str:
    return f" and {count - 1} more cells" if count > 1 else ""


def one_pool(pool: Pool, t: int, budget: int) -> Arms:
    """The paper's design: p from all attempts, q from the live ones among them. One comparison per cell."""
    live = pool.live(t)
    return Arms(
        Design.ONE_POOL,
        x=pool.per_cell(pool.verified & (pool.call <= budget - t)),
        n=pool.size,
        y=pool.per_cell(live & pool.verified & (pool.call <= budget)),
        m=pool.per_cell(live),
    )


def split(pool: Pool, t: int, budget: int) -> Arms:
    """Independent arms from one pool: the 1st, 3rd, 5th ... attempt is fresh, the 2nd, 4th ... a continuation if live.

    The roles follow the order of the repeats, never an outcome.
    """
    fresh = pool.position % 2 == 0
    live = pool.live(t) & ~fresh
    return Arms(
        Design.INDEPENDENT,
        x=pool.per_cell(fresh & pool.verified & (pool.call <= budget - t)),
        n=pool.per_cell(fresh),
        y=pool.per_cell(live & pool.verified & (pool.call <= budget)),
        m=pool.per_cell(live),
    )


def paired(pool: Pool, t: int, budget: int) -> Arms:
    """Disjoint pairs from one pool, in the order of the repeats: each attempt that is live and still free is a
    continuation, and the attempt after it is its fresh partner.

    The role of an attempt depends on earlier attempts only, so every difference has mean p - q given the past: the
    pairs are fit for tests that look after every pair. A cell yields about live/(1 + live) pairs an attempt.
    """
    live = pool.live(t)
    index = np.arange(len(live))
    # Within a run of live attempts of one cell, those at even offset are continuations. The partner of the last is the
    # attempt that ends the run, so every run begins with a free attempt.
    breaks = ~live | (pool.position == 0)
    began = np.maximum.accumulate(np.where(breaks, index, -1)) if len(index) else index
    offset = index - began - np.where(live[began], 0, 1) if len(index) else index
    partner_exists = np.append(pool.cell[1:] == pool.cell[:-1], False)[: len(index)]
    continuation = np.flatnonzero(live & (offset % 2 == 0) & partner_exists)
    succeeds = pool.verified[continuation] & (pool.call[continuation] <= budget)
    fresh = pool.verified[continuation + 1] & (pool.call[continuation + 1] <= budget - t)
    owner, cells = pool.cell[continuation], len(pool.size)
    count = np.bincount(owner, minlength=cells)
    return Arms(
        Design.PAIRS,
        x=np.bincount(owner[fresh], minlength=cells),
        n=count,
        y=np.bincount(owner[succeeds], minlength=cells),
        m=count,
        pairs=Pairs(fresh.astype(np.int8) - succeeds.astype(np.int8), np.concatenate(([0], np.cumsum(count)))),
    )
