"""Whether a checkpoint's outcomes belong to it: relations of two readings, permuted bindings, gates, ceilings."""

from __future__ import annotations

from dataclasses import asdict
from typing import Any

import numpy as np

from analysis.errors import InputError
from analysis.readout.best_sets import best_sets
from analysis.readout.blocks import halves
from analysis.readout.collisions import ceiling
from analysis.readout.gates import gates
from analysis.readout.panel import Matrix, Panel
from analysis.readout.readout import Readout
from analysis.readout.relations import (
    PERMUTATIONS,
    Codes,
    associations,
    crossed_with_outcome,
    relation_counts,
    relations,
)


def bound(
    found: Readout, reference: Panel | None = None, scope: str | None = None, permutations: int = PERMUTATIONS
) -> dict[str, Any]:
    """Relations of reference sets to live sets, with permutation controls and release gates, as JSON values.

    Args:
        reference: a panel whose sets (of all its repeats) are the reference for the same checkpoints and actions: a
            replay archive, say. None: the sets of this panel's own selection half, against its evaluation half.
        scope: of permutations; None: inside tasks where some task has several checkpoints, else all.

    Raises:
        InputError: the reference is of other checkpoints or actions.
    """
    panel = found.panel
    penalties = found.settings.rule.penalties(panel.actions)
    epsilon = found.settings.rule.epsilon
    if reference is None:
        first, second = (list(half) for half in halves(panel.shape[2]))
        fixed, live = _sets(panel.select[:, :, first], penalties, epsilon), panel.select[:, :, second]
        judged, said = panel.evaluate[:, :, second], "selection half against evaluation half"
    else:
        if (reference.checkpoints, reference.actions) != (panel.checkpoints, panel.actions):
            what = f"{reference.name} has other checkpoints or actions than {panel.name}"
            raise InputError(what, file="--reference", mend="give a reference for the same checkpoints and actions")
        fixed, live = _sets(reference.select, penalties, epsilon), panel.select
        judged, said = panel.evaluate, f"{reference.name} against all repeats"
    several = panel.tasks is not None and len(set(panel.tasks)) < len(panel.tasks)
    where = scope or ("group" if several else "all")
    sets = _sets(live, penalties, epsilon)
    related = relations(fixed, sets)
    return {
        "reading": said,
        "relations": relation_counts(related),
        "by_outcome": crossed_with_outcome(related, judged),
        "scope": {"group": "within tasks", "all": "over all checkpoints"}[where],
        "associations": [
            asdict(one)
            for one in associations(
                fixed, live, penalties, groups=panel.tasks, scope=where, permutations=permutations,
                seed=found.settings.seed, epsilon=epsilon,
            )
        ],
        "gates": [asdict(one) for one in gates(fixed, sets)],
    }  # fmt: skip


def collisions(found: Readout) -> dict[str, Any] | None:
    """Ceilings of policies that see only the checkpoints' keys; None without keys. Utility is the evaluator's mean."""
    panel = found.panel
    if panel.keys is None:
        return None
    penalties = found.settings.rule.penalties(panel.actions)
    sets = _sets(panel.select, penalties, found.settings.rule.epsilon)
    return dict(ceiling(panel.keys, sets, panel.evaluate.mean(axis=2) - penalties)._asdict())


def _sets(scores: Matrix, penalties: Matrix, epsilon: float) -> Codes:
    return np.asarray(best_sets(scores.sum(axis=2)[:, :, None], scores.shape[2], penalties, epsilon)[:, 0], np.int64)
