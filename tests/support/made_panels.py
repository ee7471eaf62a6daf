"""Panels for tests of the readout: at random with ties, as rows, and read the slow way, pair by pair."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterator, Mapping, Sequence
from fractions import Fraction
from itertools import combinations
from typing import Any

import numpy as np
from hypothesis import strategies as st

from analysis.readout.panel import Panel, panel_of

#: Few values, so that sums tie often; exact in binary, so that a slow reading has the same sums.
SCORES = (0.0, 0.25, 0.5, 1.0)


@st.composite
def panels(draw: st.DrawFn, least: int = 2, most: int = 7, two_scores: bool = True) -> Panel:
    """Small panels full of ties and zeros."""
    c, a, r = draw(st.integers(1, 4)), draw(st.integers(2, 4)), draw(st.integers(least, most))
    values = draw(st.sampled_from([(0.0, 1.0), SCORES]))

    def tensor() -> Any:
        cells = draw(st.lists(st.sampled_from(values), min_size=c * a * r, max_size=c * a * r))
        return np.array(cells).reshape(c, a, r)

    select = tensor()
    return panel_of(select, tensor() if two_scores and draw(st.booleans()) else select)


def slow_pairs(repeats: int, k: int, design: str) -> list[tuple[tuple[int, ...], tuple[int, ...]]]:
    """All pairs of blocks, and nothing clever."""
    if design == "split":
        half = repeats // 2
        return [(one, two) for one in combinations(range(half), k) for two in combinations(range(half, repeats), k)]
    every = list(combinations(range(repeats), k))
    return [(one, two) for one in every for two in every if not set(one) & set(two)]


def slow_set(
    scores: Sequence[Sequence[float]], block: Sequence[int], costs: Sequence[float], epsilon: float
) -> set[int]:
    """Best actions of a block, in rational numbers."""
    k = len(block)
    means = [
        sum((Fraction(row[r]) for r in block), start=Fraction(0)) / k - Fraction(str(cost))
        for row, cost in zip(scores, costs, strict=True)
    ]
    return {a for a, mean in enumerate(means) if mean >= max(means) - Fraction(str(epsilon))}


def slow_metrics(
    panel: Panel, c: int, k: int, design: str, costs: Sequence[float] | None = None, epsilon: float = 0.0
) -> dict[str, Fraction]:
    """Every metric of one checkpoint, pair by pair."""
    prices = costs or [0.0] * panel.shape[1]
    scores, judged = panel.select[c].tolist(), panel.evaluate[c].tolist()
    repeats = panel.shape[2]
    total: dict[str, Fraction] = {}
    pairs = slow_pairs(repeats, k, design)
    for one, two in pairs:
        a, b = (slow_set(scores, block, prices, epsilon) for block in (one, two))
        held = range(repeats // 2, repeats) if design == "split" else [r for r in range(repeats) if r not in one]
        drawn = [row[r] for row in scores for r in (*one, *two)]
        for name, value in {
            "agreement": a == b, "single": a == b and len(a) == 1, "multiple": a == b and len(a) > 1,
            "common_action": bool(a & b), "jaccard": Fraction(len(a & b), len(a | b)),
            "uniform_choice": Fraction(len(a & b), len(a) * len(b)),
            "size_reference": Fraction(len(a) == len(b), len(list(combinations(range(panel.shape[1]), len(a))))),
            "mean_size": Fraction(len(a) + len(b), 2), "all_zero": not any(drawn),
            "all_success": all(value == 1 for value in drawn),
            "held_out_success": _mean(judged, a, held), "held_out_score": _mean(scores, a, held),
        }.items():  # fmt: skip
            total[name] = total.get(name, Fraction(0)) + Fraction(value)
    return {name: value / len(pairs) for name, value in total.items()}


def _mean(scores: Sequence[Sequence[float]], actions: set[int], repeats: Sequence[int]) -> Fraction:
    values = [Fraction(scores[a][r]) for a in actions for r in repeats]
    return sum(values, start=Fraction(0)) / len(values)


def tensor_table(rows: Sequence[Mapping[str, Any]]) -> str:
    """Rows as CSV, with the columns of the first one."""
    text = io.StringIO(newline="")
    writer = csv.DictWriter(text, list(rows[0]))
    writer.writeheader()
    writer.writerows(rows)
    return text.getvalue()


def tensor_rows(
    scores: Any, actions: Sequence[str] = ("retry", "verify", "replace"), **same: Any
) -> Iterator[dict[str, Any]]:
    """A row per episode of an array (C, A, R), with ``same`` in all of them."""
    for c, checkpoint in enumerate(scores):
        for a, draws in enumerate(checkpoint):
            for r, score in enumerate(draws):
                yield {"checkpoint": f"c{c}", "action": actions[a], "repeat": r, "select": score} | same
