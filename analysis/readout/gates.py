"""Release gates: what rules that know less than the exact keyed relation would release."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from analysis.readout.relations import DIRECT, DISCORDANT, Codes, relations

RELEASE, HOLD, REJECT = 0, 1, 2
RULES = ("replay_only", "set_membership", "serialized_top1", "record_erased", "exact_keyed")


@dataclass(frozen=True)
class Gate:
    """Cells by disposition; ``agreement`` with the exact keyed gate and ``extra`` releases beyond it, as shares."""

    rule: str
    release: int
    hold: int
    reject: int
    agreement: float
    extra: float


def gates(reference: Codes, live: Codes) -> list[Gate]:
    """Dispositions of every rule of ``RULES`` for the sets of cells, given by their codes.

    exact_keyed: release a direct cell, hold an overlap, reject a discordant one. replay_only: release all.
    set_membership: release where the sets intersect, else reject. serialized_top1: release where the first action of
    both sets is the same, else reject. record_erased: hold all.
    """
    relation = relations(reference, live)
    keyed = np.select([relation == DIRECT, relation == DISCORDANT], [RELEASE, REJECT], HOLD)
    first = (reference & -reference) == (live & -live)
    chosen = (
        np.full(len(live), RELEASE),
        np.where(relation == DISCORDANT, REJECT, RELEASE),
        np.where(first, RELEASE, REJECT),
        np.full(len(live), HOLD),
        keyed,
    )
    return [_gate(rule, disposition, keyed) for rule, disposition in zip(RULES, chosen, strict=True)]


def _gate(rule: str, disposition: Codes, keyed: Codes) -> Gate:
    release, hold, reject = (int((disposition == code).sum()) for code in (RELEASE, HOLD, REJECT))
    beyond = (disposition == RELEASE) & (keyed != RELEASE)
    return Gate(rule, release, hold, reject, float((disposition == keyed).mean()), float(beyond.mean()))
