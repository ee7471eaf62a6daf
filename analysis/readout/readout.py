"""The readout of one panel: the four diagnostics, everything beside them, and what a reader must be told first."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np

from analysis.errors import InputError
from analysis.readout.best_sets import EXACT, Rule
from analysis.readout.blocks import blocks_of
from analysis.readout.exact_bootstrap import bootstrap_law, common_denominator
from analysis.readout.measures import METRICS, Measured, measured
from analysis.readout.panel import Matrix, Panel
from analysis.readout.ranks import resampled_spearman, spearman
from analysis.readout.resampling import (
    REPLICATES,
    SEED,
    Ends,
    cluster_weights,
    ends_of,
    resample_weights,
    resampled_means,
)

Unit = Literal["checkpoint", "task"]


@dataclass(frozen=True)
class Settings:
    """How a panel is read.

    Args:
        ks: sizes of blocks; None: 1, 2, 4 ... as far as two of them fit.
        design: as in ``blocks``.
        rule: what counts as best.
        score: which score selects: ``select``, or the evaluator's own.
        unit: what is resampled.
        replicates, seed: of the bootstrap.
        exact: ends by convolution where values lie on a small lattice, instead of by replicates.
    """

    ks: tuple[int, ...] | None = None
    design: str = "split"
    rule: Rule = EXACT
    score: str = "select"
    unit: Unit = "checkpoint"
    replicates: int = REPLICATES
    seed: int = SEED
    exact: bool = False

    def sizes(self, panel: Panel) -> tuple[int, ...]:
        """The k of a panel, ascending."""
        if self.ks is not None:
            return tuple(sorted(set(self.ks)))
        return tuple(k for k in (1, 2, 4, 8, 16) if k <= panel.shape[2] // 2)


@dataclass(frozen=True)
class Concordance:
    """Spearman's coefficient over checkpoints between agreement and held-out success; None where one is constant.

    ``omitted``: share of resamples in which it is not defined; they are left out of the ends.
    """

    value: float | None
    low: float | None
    high: float | None
    omitted: float


@dataclass(frozen=True)
class Readout:
    """A panel, read.

    Args:
        panel: with ``select`` as the score that selected.
        weights: of the bootstrap, shape (replicates, C); the same for whatever else is compared on this panel.
        measures: per k.
        intervals: per k, of each metric of ``METRICS``.
        exact: whether the ends of each are exact, as ``intervals``.
        pooled_success: mean evaluator score of all episodes, with its interval.
        concordance: per k.
    """

    panel: Panel
    settings: Settings
    weights: Matrix
    measures: tuple[Measured, ...]
    intervals: tuple[dict[str, Ends], ...]
    exact: tuple[dict[str, bool], ...]
    pooled_success: float
    pooled_interval: Ends
    concordance: tuple[Concordance, ...]

    def interval(self, values: Matrix) -> Ends:
        """The interval of the mean of per-checkpoint values, on this panel's resamples."""
        return ends_of(resampled_means(self.weights, values[:, None]))[0]


def readout(panel: Panel, settings: Settings | None = None) -> Readout:
    """Reads a panel.

    Raises:
        InputError: the settings do not fit the panel.
    """
    how = settings or Settings()
    if how.score not in ("select", "evaluate"):
        raise InputError(f"{how.score!r} is not a score", file="--score", mend="choose select or evaluate")
    read = panel.selecting_by(how.score)
    measures = tuple(measured(read, k, how.design, how.rule) for k in how.sizes(panel))
    weights = weights_of(read, how)
    pooled = read.evaluate.mean(axis=(1, 2))
    samples = ends_of(resampled_means(weights, np.concatenate([*(one.values for one in measures), pooled[:, None]], 1)))
    intervals, exact = [], []
    for place, one in enumerate(measures):
        ends = dict(zip(METRICS, samples[place * len(METRICS) :], strict=False))
        laws = _exact_ends(one, read, how) if how.exact and how.unit == "checkpoint" else {}
        intervals.append(ends | laws)
        exact.append({name: name in laws for name in METRICS})
    return Readout(
        read, how, weights, measures, tuple(intervals), tuple(exact), float(pooled.mean()), samples[-1],
        tuple(_concordance(one, weights) for one in measures),
    )  # fmt: skip


def weights_of(panel: Panel, settings: Settings) -> Matrix:
    """Resamples of the panel's checkpoints, or of its tasks.

    Raises:
        InputError: an unknown unit, or tasks are not known.
    """
    if settings.unit == "checkpoint":
        return resample_weights(panel.shape[0], panel.strata, settings.replicates, settings.seed)
    if settings.unit != "task":
        raise InputError(f"{settings.unit!r} is no unit", file="--resample", mend="choose checkpoint or task")
    if panel.tasks is None:
        raise InputError("is needed to resample tasks", column="task", mend="add it, or resample checkpoints")
    return cluster_weights(panel.tasks, panel.strata, settings.replicates, settings.seed)


def _exact_ends(one: Measured, panel: Panel, settings: Settings) -> dict[str, Ends]:
    denominator = common_denominator(blocks_of(panel.shape[2], one.k, settings.design), panel.shape[1])
    found = {}
    for name in METRICS:
        law = bootstrap_law(one.column(name), denominator, panel.strata)
        if law is not None:
            found[name] = Ends(law.quantile(0.025), law.quantile(0.975))
    return found


def _concordance(one: Measured, weights: Matrix) -> Concordance:
    x, y = one.column("agreement"), one.column("held_out_success")
    value = spearman(x, y)
    if value != value:
        return Concordance(None, None, None, 1.0)
    (ends,) = ends_of(resampled_spearman(x, y, weights)[:, None])
    return Concordance(value, ends.low, ends.high, ends.omitted)


def named_ks(ks: Sequence[int]) -> str:
    """``k = 1, 2``."""
    return "k = " + ", ".join(map(str, ks))
