"""Metrics of a panel per checkpoint: means over all pairs of blocks. The panel's value is their plain mean."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from analysis.readout.best_sets import EXACT, Rule, best_sets, block_sums, members
from analysis.readout.blocks import Blocks, blocks_of
from analysis.readout.pair_tables import SET_METRICS, pair_tables
from analysis.readout.panel import Matrix, Panel

#: All metrics, in the order of columns. The first ones depend on the two sets alone.
METRICS = (*SET_METRICS, "all_zero", "all_success", "held_out_success", "held_out_score")


@dataclass(frozen=True)
class Measured:
    """Metrics of a panel at one ``k``.

    Args:
        values: shape (C, metrics), columns as in ``METRICS``; NaN for a checkpoint without a pair.
        choice: chance that the policy "best set of one A block, uniformly" takes an action, shape (C, A).
        chosen: what each action scored on the repeats that judge the choice, weighted by that chance, shape (C, A).
        pairs: pairs of blocks that counted, shape (C,).
    """

    k: int
    values: Matrix
    choice: Matrix
    pairs: NDArray[np.int64]

    def column(self, metric: str) -> Matrix:
        """One metric per checkpoint."""
        return self.values[:, METRICS.index(metric)]

    def mean(self, metric: str) -> float:
        """The panel's value; NaN if no checkpoint has one."""
        column = self.column(metric)
        return float(column[self.pairs > 0].mean()) if (self.pairs > 0).any() else float("nan")


def measured(
    panel: Panel, k: int, design: str = "split", rule: Rule = EXACT, kept: NDArray[np.bool_] | None = None
) -> Measured:
    """Every metric, by exact enumeration of all pairs of blocks.

    all_zero: every action sums to 0 in both blocks (of all pairs, not of matching ones); all_success: every draw scored
    1 in both. held_out_success: mean evaluator score of the set of block A, on repeats that A does not contain (the
    evaluation half in the split design). held_out_score: the same of the score that selects.

    Args:
        kept: repeats that may be used, shape (C, R); None: all. A block with another repeat counts for nothing.

    Raises:
        InputError: the blocks do not fit, or an unknown design or action.
    """
    blocks = blocks_of(panel.shape[2], k, design)
    penalties = rule.penalties(panel.actions)
    usable = np.ones((panel.shape[0], panel.shape[2])) if kept is None else kept.astype(np.float64)
    sides = []
    for block in (blocks.first, blocks.second):
        sums = block_sums(panel.select, block)
        whole = ((1.0 - usable) @ block.T == 0).astype(np.float64)
        # Every draw is 0 (or 1): ties of all actions, whatever the rule makes of them.
        flat = [(sums == k * level).all(axis=1) * whole for level in (0, 1)]
        sides.append((best_sets(sums, k, penalties, rule.epsilon), whole, flat))
    (codes, whole, flat), (others, whole_others, flat_others) = sides
    one, other = _one_hot(codes, whole, panel.shape[1]), _one_hot(others, whole_others, panel.shape[1])
    joint = np.swapaxes(one, 1, 2) @ (blocks.apart @ other)
    pairs = joint.sum(axis=(1, 2))
    values = np.full((panel.shape[0], len(METRICS)), np.nan)
    with np.errstate(invalid="ignore", divide="ignore"):
        values[:, : len(SET_METRICS)] = np.einsum("cij,mij->cm", joint, pair_tables(panel.shape[1])) / pairs[:, None]
        for place, (one_flat, other_flat) in enumerate(zip(flat, flat_others, strict=True), len(SET_METRICS)):
            values[:, place] = ((one_flat @ blocks.apart) * other_flat).sum(axis=1) / pairs
        # A block of A counts as often as it has a partner.
        weight = whole * (whole_others @ blocks.apart.T)
        share = _shares(codes, panel.shape[1]) * (weight / weight.sum(axis=1, keepdims=True))[:, :, None]
        for place, scores in ((-2, panel.evaluate), (-1, panel.select)):
            values[:, place] = (share * _held_out(scores, usable, blocks)).sum(axis=(1, 2))
    return Measured(k, values, share.sum(axis=1), np.rint(pairs).astype(np.int64))


def _one_hot(codes: NDArray[np.int64], weight: Matrix, actions: int) -> Matrix:
    found = np.zeros((*codes.shape, 2**actions))
    np.put_along_axis(found, codes[:, :, None], weight[:, :, None], axis=2)
    return found


def _shares(codes: NDArray[np.int64], actions: int) -> Matrix:
    """Chance of each action when the set is chosen from uniformly, shape (C, n, A)."""
    sets = members(actions).astype(np.float64)
    shares = sets / np.maximum(sets.sum(axis=1, keepdims=True), 1)
    return np.asarray(shares[codes], np.float64)


def _held_out(scores: Matrix, usable: Matrix, blocks: Blocks) -> Matrix:
    """Mean score of every action on the repeats that judge a block of A, shape (C, n, A)."""
    judging = blocks.evaluation[None] * usable[:, None]
    counts = judging.sum(axis=2, keepdims=True)
    with np.errstate(invalid="ignore", divide="ignore"):
        return np.where(counts > 0, judging @ np.swapaxes(scores, 1, 2) / counts, 0.0)
