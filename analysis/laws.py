"""What one attempt does within a budget, as counts over calls: the input of exact replay."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from analysis.cells import CENSORED, VERIFIED, Cell, CellKey

Matrix = NDArray[np.float64]


@dataclass(frozen=True)
class Law:
    """Outcomes of a cell's attempts that differ within ``budget`` calls.

    Args:
        key: of the cell.
        n: attempts.
        calls: call of each outcome, shape (m,), from 1 to ``budget``.
        passed: whether the outcome is a first pass (else a terminal), shape (m,).
        counts: attempts with the outcome, shape (m,). The other attempts neither pass nor end within the budget.
    """

    key: CellKey
    n: int
    budget: int
    calls: NDArray[np.int64]
    passed: NDArray[np.bool_]
    counts: NDArray[np.int64]

    @property
    def types(self) -> NDArray[np.int64]:
        """Counts with the attempts that neither pass nor end as a last entry, shape (m + 1,)."""
        return np.append(self.counts, self.n - self.counts.sum())

    def tables(self, weights: Matrix) -> tuple[Matrix, Matrix]:
        """Probabilities of a first pass and of a terminal at calls 0 ... budget.

        Args:
            weights: probabilities of the outcomes, shape (rows, m) or (rows, m + 1).

        Returns:
            two arrays of shape (rows, budget + 1).
        """
        passes, ends = np.zeros((2, len(weights), self.budget + 1))
        m = len(self.calls)
        passes[:, self.calls[self.passed]] = weights[:, :m][:, self.passed]
        ends[:, self.calls[~self.passed]] = weights[:, :m][:, ~self.passed]
        return passes, ends


def stacked(rows: Sequence[tuple[Law, Matrix]]) -> tuple[Matrix, Matrix]:
    """``Law.tables`` of several laws with one budget, row under row."""
    tables = [law.tables(weights) for law, weights in rows]
    return np.concatenate([passes for passes, _ in tables]), np.concatenate([ends for _, ends in tables])


def law_of(cell: Cell, budget: int) -> Law:
    """The law of a cell. An attempt that ended before its first call returned has cost that call all the same."""
    call = np.maximum(cell.call, 1)
    seen = (cell.event != CENSORED) & (call <= budget)
    passed = cell.event[seen] == VERIFIED
    coded, counts = np.unique(call[seen] * 2 + passed, return_counts=True)
    return Law(cell.key, cell.n, budget, coded // 2, coded % 2 == 1, counts.astype(np.int64))


def identified_through(cell: Cell) -> int:
    """The last call through which every attempt was observed: no farther than any horizon or early censoring."""
    early = cell.call[cell.event == CENSORED]
    return int(min(cell.horizon.min(), early.min(initial=np.iinfo(np.int64).max)))


def pessimist(cell: Cell) -> Cell:
    """The cell if no attempt that was cut off would ever have passed."""
    return Cell(cell.key, cell.event, np.where(cell.event == CENSORED, cell.horizon, cell.call), cell.horizon)


def optimist(cell: Cell) -> Cell:
    """The cell if every attempt that was cut off before its horizon would have passed at its next call."""
    cut = (cell.event == CENSORED) & (cell.call < cell.horizon)
    event = np.where(cut, VERIFIED, cell.event).astype(np.int8)
    return Cell(cell.key, event, np.where(cut, cell.call + 1, cell.call), cell.horizon)
