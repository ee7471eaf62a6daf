"""Exact replay of schedules: success within a budget when each episode is a fresh draw of the task's attempts.

No Monte Carlo: a recursion over the calls left (timing.md; equations 5, 20 and 23 of the paper without terminals).
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from analysis.cells import Cell, CellKey
from analysis.errors import NotIdentified
from analysis.laws import identified_through, law_of, optimist, pessimist, stacked
from analysis.schedules import Schedule

Matrix = NDArray[np.float64]


def replay(cells: Sequence[Cell], schedules: Sequence[Schedule], budget: int) -> Matrix:
    """Probability of a pass within ``budget`` calls, shape (cells, schedules).

    Raises:
        NotIdentified: an episode could outlast what was observed of some attempt; carries bounds of the values.
    """
    for cell in cells:
        check_identified(cell, schedules, budget)
    laws = [law_of(cell, budget) for cell in cells]
    return policy_values(*stacked([(law, law.counts[None] / law.n) for law in laws]), schedules)


def policy_values(passes: Matrix, ends: Matrix, schedules: Sequence[Schedule]) -> Matrix:
    """The same for rows of probabilities, shape (rows, schedules).

    Args:
        passes, ends: P(T = k) and P(E = k) for k = 0 ... budget, shape (rows, budget + 1).
    """
    budget = passes.shape[1] - 1
    values = np.empty((len(passes), len(schedules)))
    for release in (True, False):
        same = [i for i, one in enumerate(schedules) if one.kind == "fixed" and one.release == release]
        if same:
            cutoffs = np.array([schedules[i].params["cutoff"] for i in same])
            values[:, same] = fixed_values(passes, ends, cutoffs, release=release)
    for i, one in enumerate(schedules):
        if one.kind != "fixed":
            values[:, i] = list_values(passes, ends, one.caps(budget), release=one.release)
    # Sums of fractions such as 1/7 can pass 1 in the last digit.
    return np.clip(values, 0.0, 1.0)


def fixed_values(passes: Matrix, ends: Matrix, cutoffs: NDArray[np.int64], *, release: bool = True) -> Matrix:
    """Success of repeated cutoffs, shape (rows, cutoffs).

    V(b) = F(c∧b) + Σ_{k ≤ c∧b} P(E = k) V(b - k) + P(neither within c∧b) V(b - c∧b).

    Args:
        passes, ends: P(T = k) and P(E = k) for k = 0 ... budget, shape (rows, budget + 1).
        cutoffs: calls, shape (cutoffs,).
        release: whether a terminal gives its unused calls back.
    """
    budget = passes.shape[1] - 1
    done, over = np.cumsum(passes, axis=1), np.cumsum(ends if release else np.zeros_like(ends), axis=1)
    terminals = np.flatnonzero(ends.any(axis=0)) if release else np.zeros(0, np.int64)
    # Calls first: each step then reads and writes whole rows.
    value = np.zeros((budget + 1, len(passes), len(cutoffs)))
    columns = np.arange(len(cutoffs))
    for b in range(1, budget + 1):
        span = np.minimum(cutoffs, b)
        success = done[:, span]
        rest = 1.0 - success - over[:, span]
        later = value[b - span, :, columns].T
        total = success + rest * later
        for k in terminals[terminals <= b]:
            total += ends[:, k, None] * (value[b - k] * (k <= span))
        value[b] = total
    return value[budget]


def list_values(passes: Matrix, ends: Matrix, caps: Sequence[int], *, release: bool = True) -> NDArray[np.float64]:
    """Success of a list of caps, shape (rows,); arguments as ``fixed_values``.

    a[b] is the probability that no pass came before this episode and b calls are left.
    """
    budget = passes.shape[1] - 1
    done, over = np.cumsum(passes, axis=1), np.cumsum(ends if release else np.zeros_like(ends), axis=1)
    terminals = np.flatnonzero(ends.any(axis=0)) if release else np.zeros(0, np.int64)
    success = np.zeros(len(passes))
    live = np.zeros((budget + 1, len(passes)))
    live[budget] = 1.0
    for cap in caps:
        after = np.zeros_like(live)
        for b in np.flatnonzero(live.any(axis=1)):
            if b == 0:
                continue
            span = min(cap, int(b))
            success += live[b] * done[:, span]
            after[b - span] += live[b] * (1.0 - done[:, span] - over[:, span])
            for k in terminals[terminals <= span]:
                after[b - k] += live[b] * ends[:, k]
        live = after
        if not live[1:].any():
            break
    return success


def check_identified(cell: Cell, schedules: Sequence[Schedule], budget: int) -> None:
    """Refuses schedules that reach past what was observed; a rule about the design, whatever the outcomes were.

    Raises:
        NotIdentified: as ``replay``.
    """
    horizon, seen = int(cell.horizon.min()), identified_through(cell)
    for one in schedules:
        longest = max(one.spans(budget))
        name = " ".join([one.kind, *(f"{name} {value}" for name, value in one.params.items())])
        if longest > horizon:
            raise NotIdentified(
                f"{_name(cell.key)}: {name} with budget {budget} can run an episode of {longest} calls, "
                f"and the smallest horizon is {horizon}",
                known={"horizon": horizon},
                mend=f"choose caps (or a budget) of at most {horizon} calls, or a stage with a longer horizon",
            )
        if longest > seen:
            laws = [law_of(bound(cell), budget) for bound in (pessimist, optimist)]
            bounds = policy_values(*stacked([(law, law.counts[None] / law.n) for law in laws]), [one])
            low, high = bounds[:, 0].tolist()
            raise NotIdentified(
                f"{_name(cell.key)}: {name} with budget {budget} can run an episode of {longest} calls, "
                f"and an attempt was censored at call {seen}, before its horizon {horizon}",
                known={"identified_through": seen, "value_at_least": low, "value_at_most": high},
                mend=f"choose caps of at most {seen} calls; for F beyond, see completion --aalen-johansen",
            )


def _name(key: CellKey) -> str:
    return f"stage {key.stage}, task {key.task}, runtime {key.runtime}, arm {key.arm}"
