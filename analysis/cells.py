"""A cell: the counted attempts of one task under one runtime and arm of one stage, as arrays."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from numpy.typing import NDArray

if TYPE_CHECKING:
    from analysis.table import EventTable

#: Codes of the event column.
CENSORED, VERIFIED, TERMINAL = 0, 1, 2


class CellKey(NamedTuple):
    """What is never pooled unasked."""

    stage: str
    digest: str
    origin: str
    runtime: str
    arm: str
    task: str


@dataclass(frozen=True)
class Cell:
    """n attempts. Arrays have shape (n,), in the order of the repeats.

    ``event``: int8 codes; ``call``: int64, the call of the event (U in timing.md); ``horizon``: int64, calls;
    ``repeat``: int64, numbers of the repeats, None where nothing has to be matched to single attempts.
    """

    key: CellKey
    event: NDArray[np.int8]
    call: NDArray[np.int64]
    horizon: NDArray[np.int64]
    repeat: NDArray[np.int64] | None = None

    @property
    def n(self) -> int:
        """Number of attempts."""
        return len(self.event)

    @property
    def first_pass(self) -> NDArray[np.float64]:
        """T: first verified call per attempt, infinity if none. Shape (n,)."""
        return np.where(self.event == VERIFIED, self.call, np.inf)

    @property
    def terminal_call(self) -> NDArray[np.float64]:
        """E: protocol-terminal call per attempt, infinity if none. Shape (n,)."""
        return np.where(self.event == TERMINAL, self.call, np.inf)


def cells_of(
    table: EventTable,
    *,
    stages: Iterable[str] | None = None,
    runtimes: Iterable[str] | None = None,
    arms: Iterable[str] | None = None,
    tasks: Iterable[str] | None = None,
) -> list[Cell]:
    """The cells of a table, sorted by key; excluded tries are left out. Horizons within a cell may differ.

    Args:
        stages, runtimes, arms, tasks: which to take; None for all.
    """
    keep = table.mask(stage=stages, runtime=runtimes, arm=arms, task=tasks) & table["valid"]
    index = np.flatnonzero(keep)
    if not len(index):
        return []
    ranks = [table.ranks(name)[index] for name in CellKey._fields]
    order = np.lexsort((table["repeat"][index], *reversed(ranks)))
    index = index[order]
    sorted_ranks = np.stack([rank[order] for rank in ranks])
    starts = np.flatnonzero(np.r_[True, (sorted_ranks[:, 1:] != sorted_ranks[:, :-1]).any(axis=0)])
    texts = {name: [*table.values[name], ""] for name in CellKey._fields}
    cells = []
    for rows in np.split(index, starts[1:]):
        key = CellKey(*(texts[name][table[name][rows[0]]] for name in CellKey._fields))
        call, horizon = table["call"][rows].astype(np.int64), table["horizon"][rows].astype(np.int64)
        cells.append(Cell(key, table["event"][rows], call, horizon, table["repeat"][rows].astype(np.int64)))
    return cells
