"""How the sets of two readings of the same checkpoints relate, and what of it is left when the binding is permuted."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from analysis.errors import InputError
from analysis.readout.best_sets import best_sets
from analysis.readout.panel import Matrix
from analysis.readout.resampling import SEED

#: A cell's relation. Direct: equal sets of one action; overlap: any other intersection; discordant: none.
DIRECT, OVERLAP, DISCORDANT = 0, 1, 2
RELATIONS = ("direct", "overlap", "discordant")

#: How checkpoint labels are permuted: not at all, by one permutation for all actions, or by one per action.
ASSOCIATIONS = ("exact_keyed", "shared", "independent")
SCOPES = ("group", "all")

PERMUTATIONS = 1_000

Codes = NDArray[np.int64]


def relations(reference: Codes, live: Codes) -> Codes:
    """The relation of each cell, from the codes of its two sets; shapes broadcast."""
    shared = reference & live
    single = (live & (live - 1)) == 0
    found = np.where(shared == 0, DISCORDANT, OVERLAP)
    return np.where((reference == live) & single, DIRECT, found)


def relation_counts(found: Codes) -> dict[str, int]:
    """Cells by relation."""
    return {name: int((found == code).sum()) for code, name in enumerate(RELATIONS)}


def crossed_with_outcome(found: Codes, scores: Matrix) -> dict[str, dict[str, int]]:
    """Cells by relation and by what their episodes did: all succeeded, none did, or some.

    Args:
        scores: of all episodes of a cell, shape (cells, ...); success is a score of 1.
    """
    flat = scores.reshape(len(scores), -1)
    every, none = (flat == 1).all(axis=1), (flat == 0).all(axis=1)
    kinds = {"all_success": every, "partial": ~every & ~none, "all_fail": none}
    return {
        name: {"cells": int((found == code).sum())}
        | {kind: int(((found == code) & mine).sum()) for kind, mine in kinds.items()}
        for code, name in enumerate(RELATIONS)
    }


@dataclass(frozen=True)
class Association:
    """Relations under one association; medians over permutations, as shares of cells.

    Args:
        changed: cells whose relation is not that of the exact association.
        mean_size: of the live sets.
    """

    name: str
    direct: float
    overlap: float
    discordant: float
    changed: float
    mean_size: float
    permutations: int


def associations(
    reference: Codes,
    live: Matrix,
    penalties: Matrix | float = 0.0,
    *,
    groups: Sequence[str] | None = None,
    scope: str = "group",
    permutations: int = PERMUTATIONS,
    seed: int = SEED,
    epsilon: float = 0.0,
) -> list[Association]:
    """The relation of reference sets to live sets when outcomes lose their checkpoint.

    Args:
        reference: codes of the sets that stay where they are, shape (cells,).
        live: outcomes, shape (cells, A, R); permuting moves whole (R,) rows of an action to other cells.
        penalties, epsilon: as in ``Rule``; penalties per action.
        groups: cells that are exchanged with each other only (those of one prefix or task); needed by that scope.
        scope: ``group``, or ``all`` cells with one another.

    Returns:
        one row per name of ``ASSOCIATIONS``.

    Raises:
        InputError: no groups for that scope, or an unknown scope.
    """
    if scope not in SCOPES:
        raise InputError(f"{scope!r} is not a scope", file="--scope", mend=f"choose one of {', '.join(SCOPES)}")
    if scope == "group" and groups is None:
        raise InputError("is needed to permute within groups", column="task", mend="add it, or choose the scope all")
    count, actions, draws = live.shape
    sums = live.sum(axis=2)

    def codes(moved: Matrix) -> Codes:
        return best_sets(moved.transpose(1, 2, 0), draws, penalties, epsilon).T

    keyed = codes(sums[None])[0]
    exact = relations(reference, keyed)
    rng = np.random.default_rng(seed)
    labels = np.unique(list(groups or ()), return_inverse=True)[1] if scope == "group" else np.zeros(count, np.int64)
    found = [_summary("exact_keyed", exact[None], exact, keyed[None], 0)]
    for name in ASSOCIATIONS[1:]:
        moves = _permutations(labels, permutations * (1 if name == "shared" else actions), rng)
        order = moves.reshape(permutations, -1, count)
        moved = np.empty((permutations, count, actions))
        for action in range(actions):
            moved[:, :, action] = sums[:, action][order[:, min(action, order.shape[1] - 1)]]
        sets = codes(moved)
        found.append(_summary(name, relations(reference, sets), exact, sets, permutations))
    return found


def _permutations(labels: Codes, count: int, rng: np.random.Generator) -> Codes:
    """Random permutations inside groups, shape (count, cells)."""
    found = np.tile(np.arange(len(labels)), (count, 1))
    for label in range(int(labels.max()) + 1):
        mine = np.flatnonzero(labels == label)
        found[:, mine] = rng.permuted(np.tile(mine, (count, 1)), axis=1)
    return found


def _summary(name: str, found: Codes, exact: Codes, sets: Codes, permutations: int) -> Association:
    direct, overlap, discordant = (
        float(np.median((found == code).mean(axis=1))) for code in (DIRECT, OVERLAP, DISCORDANT)
    )
    changed = float(np.median((found != exact).mean(axis=1)))
    sizes = np.zeros(sets.shape)
    for bit in range(int(sets.max()).bit_length()):
        sizes += sets >> bit & 1
    mean_size = float(np.median(sizes.mean(axis=1)))
    return Association(name, direct, overlap, discordant, changed, mean_size, permutations)
