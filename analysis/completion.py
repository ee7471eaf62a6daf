"""Completion within calls: F, hazard, continuation and restart curves (equations 5 to 7), with bootstrap bands.

Call axis: arrays over calls have an entry for each of 0 ... through.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from analysis.bootstrap import REPLICATES, SEED, TAILS, Interval, intervals, macro_samples, resampled
from analysis.cells import CENSORED, TERMINAL, VERIFIED, Cell
from analysis.errors import NotIdentified
from analysis.lattice import merged
from analysis.laws import Matrix, identified_through

Curve = NDArray[np.float64]


@dataclass(frozen=True)
class Band:
    """Macro F of cells, shape (through + 1,), and the hierarchical bootstrap interval of each entry."""

    completion: Curve
    intervals: tuple[Interval, ...]


@dataclass(frozen=True)
class EventCounts:
    """How attempts ended."""

    attempts: int
    verified: int
    terminal: int
    censored: int


def completion_curve(cell: Cell, through: int | None = None) -> Curve:
    """F(c) = P(T <= c): the share of attempts with a first pass at or before call c, for c = 0 ... ``through``.

    Args:
        through: last call; None for the last one that is identified.

    Raises:
        NotIdentified: ``through`` is past a horizon, or past a call at which an attempt was censored; carries F as far
            as it is identified and bounds of F(through).
    """
    seen = identified_through(cell)
    last = seen if through is None else through
    if last > seen:
        cut = int(((cell.event == CENSORED) & (cell.call < last)).sum())
        done = int(((cell.event == VERIFIED) & (cell.call <= last)).sum())
        raise NotIdentified(
            f"stage {cell.key.stage}, task {cell.key.task}, runtime {cell.key.runtime}: F({last}) is not identified, "
            f"attempts were observed through call {seen} (horizon {int(cell.horizon.min())})",
            known={"identified_through": seen, f"F({seen})": float(_share(cell, seen)[-1]),
                   f"F({last}) at least": done / cell.n, f"F({last}) at most": (done + cut) / cell.n},
            mend=f"ask for at most call {seen}, or for the Aalen-Johansen estimate (completion --aalen-johansen)",
        )  # fmt: skip
    return _share(cell, last)


def hazard(completion: Curve) -> Curve:
    """λ_u = P(T = u | T >= u), shape of F; NaN at call 0 and where all attempts have passed before (equation 6)."""
    return np.asarray(_hazards(completion[None])[0])


def continuation(completion: Curve, t: int, r: int) -> float:
    """C(t, r) = 1 - Π_{u = t+1}^{t+r} (1 - λ_u): a pass within r more calls, given none through t (equation 7).

    NaN if all attempts have passed by t. It knows of no terminals before t; the audit's q does.
    """
    return float(_continuations(completion[None, : t + r + 1], t + r)[0, t])


def restart_curve(completion: Curve, budget: int) -> Curve:
    """R(budget - t) = F(budget - t), a fresh attempt with what is left, for t = 0 ... budget."""
    return completion[budget::-1]


@dataclass(frozen=True)
class TaskCurves:
    """Curves of one cell with pointwise 95 % bands: attempts resampled within the task.

    Each is an array of shape (3, points): estimate, low, high; NaN where not defined. ``completion`` and ``hazard`` run
    over calls 0 ... through; ``continuation`` and ``restart`` over decision calls t = 0 ... budget. A band of a rate is
    over the resamples in which it is defined.
    """

    completion: Matrix
    hazard: Matrix
    continuation: Matrix
    restart: Matrix


def task_curves(cell: Cell, through: int, budget: int, *, replicates: int = REPLICATES, seed: int = SEED) -> TaskCurves:
    """All curves of a cell; ``budget`` is at most ``through``.

    Raises:
        NotIdentified: as ``completion_curve``.
    """
    own = completion_curve(cell, through)[None]
    found = resampled([cell], through, _completions)
    if found.tables[0] is not None:
        curves, weights = found.tables[0]
    else:
        (curves,) = macro_samples([found], replicates, seed)
        weights = np.full(len(curves), 1.0 / len(curves))
    parts = (lambda f: f, _hazards, lambda f: _continuations(f, budget), lambda f: f[:, budget::-1])
    return TaskCurves(*(np.stack([part(own)[0], *_band(part(curves), weights)]) for part in parts))


def macro_completion(
    cells: Sequence[Cell], through: int | None = None, *, replicates: int = REPLICATES, seed: int = SEED
) -> Band:
    """Mean of F over cells (equal weight) with bands; of a single cell, its own F.

    Raises:
        NotIdentified: as ``completion_curve``, for any of the cells.
    """
    last = min(identified_through(cell) for cell in cells) if through is None else through
    curves = np.stack([completion_curve(cell, last) for cell in cells])
    found = resampled(cells, last, _completions)
    bands = intervals(found, [(c, None) for c in range(last + 1)], replicates=replicates, seed=seed)
    return Band(curves.mean(axis=0), tuple(bands))


def solved_by(cells: Sequence[Cell], call: int) -> int:
    """Attempts with a first pass at or before ``call``."""
    return sum(int(((cell.event == VERIFIED) & (cell.call <= call)).sum()) for cell in cells)


def event_counts(cells: Sequence[Cell], after: int = 0) -> EventCounts:
    """How many attempts ended in each event, at calls later than ``after`` (and at any call if it is 0)."""
    events = np.concatenate([cell.event[(cell.call > after) | (after == 0)] for cell in cells])
    counts = [int((events == code).sum()) for code in (VERIFIED, TERMINAL, CENSORED)]
    return EventCounts(len(events), *counts)


def _share(cell: Cell, last: int) -> Curve:
    first = np.sort(cell.call[cell.event == VERIFIED])
    return np.searchsorted(first, np.arange(last + 1), side="right") / cell.n


def _completions(passes: Matrix, _ends: Matrix) -> Matrix:
    return np.cumsum(passes, axis=1)


def _hazards(curves: Matrix) -> Matrix:
    rates = _ratio(np.diff(curves, axis=1), 1.0 - curves[:, :-1])
    return np.concatenate([np.full((len(curves), 1), np.nan), rates], axis=1)


def _continuations(curves: Matrix, budget: int) -> Matrix:
    before = curves[:, : budget + 1]
    return _ratio(before[:, -1:] - before, 1.0 - before)


def _ratio(part: Matrix, whole: Matrix) -> Matrix:
    return np.divide(part, whole, out=np.full(whole.shape, np.nan), where=whole > 1e-12)


def _band(values: Matrix, weights: Curve) -> Matrix:
    """2.5 and 97.5 % quantiles of each column over its defined entries, shape (2, columns)."""
    ends = np.full((2, values.shape[1]), np.nan)
    for column in range(values.shape[1]):
        defined = ~np.isnan(values[:, column])
        if defined.any():
            law = merged(values[defined, column], weights[defined] / weights[defined].sum())
            ends[:, column] = [law.quantile(share) for share in TAILS]
    return ends
