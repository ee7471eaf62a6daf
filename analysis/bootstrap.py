"""The hierarchical bootstrap: tasks with replacement, then attempts within each sampled task (section 5.9).

The sampled tasks are independent draws from one mixture, so the statistic's law is a convolution: exact where its
lattice is small. Otherwise the values of all resamples of a task are tabulated once, and replicates only look them up.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from analysis.cells import Cell
from analysis.lattice import MOST_POINTS, ExactLaw, mean_of_draws, merged
from analysis.laws import Law, Matrix, law_of, stacked
from analysis.resamples import drawn, multisets

REPLICATES = 10_000
SEED = 20261028
TAILS = (0.025, 0.975)

#: From rows of P(T = k) and P(E = k), shape (rows, budget + 1), to statistics, shape (rows, statistics).
Evaluate = Callable[[Matrix, Matrix], Matrix]

_BLOCK = 4_000_000


@dataclass(frozen=True)
class Interval:
    """Percentile interval (2.5, 97.5) and sign fractions of bootstrapped values; descriptive, not p values.

    ``replicates`` and ``seed`` are None when the ends are exact.
    """

    low: float
    high: float
    positive: float
    negative: float
    replicates: int | None = None
    seed: int | None = None


@dataclass(frozen=True)
class Resampled:
    """What can become of each task: statistics of its resamples.

    Args:
        laws: one per task.
        tables: per task the statistics of every multiset, shape (multisets, statistics), and their probabilities; None
            where there are too many.
        evaluate: computes the statistics of those.
    """

    laws: tuple[Law, ...]
    tables: tuple[tuple[Matrix, NDArray[np.float64]] | None, ...]
    evaluate: Evaluate

    def exact(self, column: int, against: int | None = None, most: int = MOST_POINTS) -> ExactLaw | None:
        """The exact bootstrap law of a macro statistic, or of its difference from another one; None if too large."""
        laws = self.task_laws(column, against)
        return None if laws is None else mixed(laws, [law.n for law in self.laws], most)

    def task_laws(self, column: int, against: int | None = None) -> list[ExactLaw] | None:
        """Per task the law of a statistic (or difference) over the resamples of its attempts."""
        found = []
        for table in self.tables:
            if table is None:
                return None
            values, probabilities = table
            found.append(merged(values[:, column] - (0.0 if against is None else values[:, against]), probabilities))
        return found

    @property
    def width(self) -> int:
        """Number of statistics."""
        law = self.laws[0]
        return self.evaluate(*law.tables(law.counts[None] / law.n)).shape[1]

    def drawn(self, task: int, rows: int, rng: np.random.Generator) -> Matrix:
        """Statistics of random resamples of one task, shape (rows, statistics)."""
        table = self.tables[task]
        if table is not None:
            values, probabilities = table
            bounds = np.cumsum(probabilities)
            found = np.searchsorted(bounds, rng.random(rows) * bounds[-1], side="right")
            return values[np.minimum(found, len(bounds) - 1)]
        law, parts = self.laws[task], []
        size = max(1, _BLOCK // (20 * (law.budget + 1)))
        for start in range(0, rows, size):
            parts.append(self.evaluate(*law.tables(drawn(law, min(size, rows - start), rng))))
        return np.concatenate(parts)


def macro_samples(sides: Sequence[Resampled], replicates: int = REPLICATES, seed: int = SEED) -> list[Matrix]:
    """Macro statistics of Monte Carlo replicates, one matrix of shape (replicates, statistics) per side.

    Args:
        sides: what holds for the same tasks (arms, say); a replicate draws the same tasks for each of them.
    """
    rng = np.random.default_rng(seed)
    tasks, widths = len(sides[0].laws), [side.width for side in sides]
    blocks: list[list[Matrix]] = [[] for _ in sides]
    size = max(1, _BLOCK // (tasks * max(widths)))
    for start in range(0, replicates, size):
        count = min(size, replicates - start)
        picks = rng.integers(tasks, size=count * tasks)
        order = np.argsort(picks, kind="stable")
        rows_of_task = np.split(order, np.cumsum(np.bincount(picks, minlength=tasks))[:-1])
        for side, width, block in zip(sides, widths, blocks, strict=True):
            values = np.empty((count * tasks, width))
            for task, rows in enumerate(rows_of_task):
                if len(rows):
                    values[rows] = side.drawn(task, len(rows), rng)
            block.append(values.reshape(count, tasks, width).mean(axis=1))
    return [np.concatenate(block) for block in blocks]


def resampled(cells: Sequence[Cell], budget: int, evaluate: Evaluate) -> Resampled:
    """Tabulates the statistics of all resamples of each task, where they are few."""
    laws = tuple(law_of(cell, budget) for cell in cells)
    found = [multisets(law) for law in laws]
    rows = [(law, item[0]) for law, item in zip(laws, found, strict=True) if item is not None]
    if not rows:
        return Resampled(laws, tuple(None for _ in laws), evaluate)
    values = evaluate(*stacked(rows))
    parts = iter(np.split(values, np.cumsum([len(weights) for _, weights in rows])[:-1]))
    return Resampled(laws, tuple(None if item is None else (next(parts), item[1]) for item in found), evaluate)


def mixed(laws: Sequence[ExactLaw], sizes: list[int], most: int = MOST_POINTS) -> ExactLaw | None:
    """The law of the macro mean when as many tasks as there are laws are drawn from them with replacement."""
    values = np.concatenate([law.values for law in laws])
    probabilities = np.concatenate([law.probabilities for law in laws]) / len(laws)
    return mean_of_draws(merged(values, probabilities), len(laws), sizes, most)


def interval_of(law: ExactLaw) -> Interval:
    """Exact ends."""
    return Interval(law.quantile(TAILS[0]), law.quantile(TAILS[1]), law.positive, law.negative)


def interval_of_samples(samples: NDArray[np.float64], seed: int) -> Interval:
    """Monte Carlo ends of replicates, shape (replicates,)."""
    low, high = np.quantile(samples, TAILS, method="inverted_cdf")
    above, below = float((samples > 1e-9).mean()), float((samples < -1e-9).mean())
    return Interval(float(low), float(high), above, below, len(samples), seed)


def intervals(
    found: Resampled,
    pairs: Sequence[tuple[int, int | None]],
    *,
    replicates: int = REPLICATES,
    seed: int = SEED,
    most: int = MOST_POINTS,
) -> list[Interval]:
    """Intervals of macro statistics, or of differences of two: exact ends where they can be had, else Monte Carlo.

    Args:
        pairs: (column, None) or (column, column to subtract).
    """
    samples: Matrix | None = None
    result = []
    for column, against in pairs:
        law = found.exact(column, against, most)
        if law is not None:
            result.append(interval_of(law))
            continue
        if samples is None:
            (samples,) = macro_samples([found], replicates, seed)
        result.append(interval_of_samples(samples[:, column] - (0.0 if against is None else samples[:, against]), seed))
    return result
