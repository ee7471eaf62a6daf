"""How many episodes a verifier really judged, and what the panel says without the others."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from analysis.readout.best_sets import EXACT, Rule
from analysis.readout.measures import Measured, measured
from analysis.readout.panel import INVALID_ADAPTER, OBSERVED, STATUSES, Panel


class Row(NamedTuple):
    """Episodes of one status, those with a positive evaluator score, and their share (None of no episode)."""

    status: str
    episodes: int
    positives: int
    rate: float | None


def provenance_rows(panels: Sequence[Panel]) -> list[Row] | None:
    """A row per status, and one of all episodes; None where a panel does not say."""
    codes, scores = [], []
    for panel in panels:
        if panel.provenance is None:
            return None
        codes.append(panel.provenance.ravel())
        scores.append(panel.evaluate.ravel())
    code, score = np.concatenate(codes), np.concatenate(scores)
    found = [_row(name, score[code == number]) for number, name in enumerate(STATUSES)]
    return [*found, _row("all_episodes", score)]


def _row(status: str, scores: np.ndarray) -> Row:
    positives = int((scores > 0).sum())
    return Row(status, len(scores), positives, positives / len(scores) if len(scores) else None)


class Sensitivity(NamedTuple):
    """The panel when some episodes are left out.

    Args:
        without: statuses that are left out.
        episodes: that stay.
        pooled_success: their mean evaluator score; None of none.
        measures: per k, on blocks all of whose episodes stay.
        checkpoints: per k, how many have such a pair of blocks.
    """

    without: tuple[str, ...]
    episodes: int
    pooled_success: float | None
    measures: tuple[Measured, ...]
    checkpoints: tuple[int, ...]


def sensitivities(panel: Panel, ks: Sequence[int], design: str = "split", rule: Rule = EXACT) -> list[Sensitivity]:
    """Without invalid adapter attempts; and with what the native verifier observed alone. Empty if nothing is known."""
    if panel.provenance is None:
        return []
    found = []
    for stay in (panel.provenance != INVALID_ADAPTER, panel.provenance == OBSERVED):
        without = tuple(name for number, name in enumerate(STATUSES) if not stay[panel.provenance == number].any()
                        and (panel.provenance == number).any())  # fmt: skip
        if not without:
            continue
        measures = tuple(measured(panel, k, design, rule, kept=stay.all(axis=1)) for k in ks)
        scores = panel.evaluate[stay]
        complete = tuple(int((one.pairs > 0).sum()) for one in measures)
        pooled = float(scores.mean()) if stay.any() else None
        found.append(Sensitivity(without, int(stay.sum()), pooled, measures, complete))
    # Without protocol failures both readings are the same.
    return found[:1] if len(found) == 2 and found[0].without == found[1].without else found
