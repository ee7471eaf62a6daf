"""Collision classes: the most that any policy can reach that sees only an observable key of a cell."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from analysis.readout.panel import Matrix
from analysis.readout.relations import Codes


class Ceiling(NamedTuple):
    """Ceilings over cells grouped by key.

    Args:
        classes: how many keys there are.
        agreement: share of cells whose best set holds the one action that their class would take (B_acc).
        utility: best mean utility of one action per class (B_U).
        regret: what is lost against the best action of each cell (oracle minus B_U).
    """

    classes: int
    agreement: float
    utility: float
    regret: float


def ceiling(keys: Sequence[str], sets: Codes, utility: Matrix) -> Ceiling:
    """Ceilings of cells with these keys, best sets (codes, shape (cells,)) and utilities of actions (cells, A)."""
    labels = np.unique(list(keys), return_inverse=True)[1]
    held = (sets[:, None] >> np.arange(utility.shape[1])) & 1
    hits = worth = 0.0
    for label in range(int(labels.max()) + 1):
        mine = labels == label
        hits += float(held[mine].sum(axis=0).max())
        worth += float(utility[mine].sum(axis=0).max())
    cells = len(labels)
    oracle = float(utility.max(axis=1).mean())
    return Ceiling(int(labels.max()) + 1, hits / cells, worth / cells, oracle - worth / cells)
