"""Completion and policy value of the cohorts of a stage, with pointwise bands (figure 3 of arXiv 2610.36544)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from analysis.figures.bars import Cohort, cohort_label
from analysis.figures.style import LINES, Drawing, drawn, percent_axis, shown


def curves(stage: str, cohorts: Sequence[Cohort], part: int = 1, name: str = "") -> Drawing:
    """Panel A: P(T <= c) on the mean over tasks. Panel B: success of repeated cutoffs within the budget.

    Args:
        cohorts: cohorts of a report's document, at most as many as there are line styles.
        part: which of several figures of the stage it is.
        name: of the figure, for files.
    """
    origins = sorted({one["origin"] for one in cohorts})
    title = f"{shown(stage)}: completion and restart-policy value" + (f" (part {part})" if part > 1 else "")
    alt = (
        "Two panels with a curve per runtime and arm and shaded pointwise 95 % bootstrap bands. Left: share of "
        "attempts verified by each call. Right: success within the budget when every episode is cut off at a call. "
        + " ".join(_said(one) for one in cohorts)
    )
    return drawn(name, title, alt, origins, 3.4, lambda figure: _draw(figure, cohorts))


def _draw(figure: Any, cohorts: Sequence[Cohort]) -> None:
    left, right = figure.subplots(1, 2)
    budget = max(one["budget"] for one in cohorts)
    for one, (colour, line, marker) in zip(cohorts, LINES, strict=False):
        macro = one["completion"]["macro"]
        calls, curve = np.array(macro["calls"]), macro["completion"]
        # A little past the last call, so that a step at it is seen.
        calls = np.append(calls, calls[-1] + 0.02 * budget)
        value, low, high = (np.append(curve[name], curve[name][-1]) for name in ("value", "low", "high"))
        left.fill_between(calls, low, high, step="post", color=colour, alpha=0.18, linewidth=0)
        left.step(calls, value, line, where="post", color=colour, label=cohort_label(one, cohorts))
        beyond = one["completion"]["beyond"]
        if beyond:
            estimate = beyond["incidence"]
            left.step(estimate["calls"], estimate["macro"], ":", where="post", color=colour, linewidth=1)
        rows = one["replay"].get("macro", ())
        if rows:
            cutoffs = [row["cutoff"] for row in rows]
            ends = np.array([row["interval"] for row in rows])
            right.fill_between(cutoffs, ends[:, 0], ends[:, 1], color=colour, alpha=0.18, linewidth=0)
            values = [row["value"] for row in rows]
            right.plot(cutoffs, values, line, color=colour, marker=marker, label=cohort_label(one, cohorts))
            best = one["replay"]["best"]
            if len(best["cutoffs"]) < len(cutoffs):  # where all are equal, none is the best
                tops = [best["value"]] * len(best["cutoffs"])
                right.plot(best["cutoffs"], tops, marker, color=colour, markersize=7, clip_on=False)
    left.set(xlim=(0, budget * 1.02), ylim=(-0.02, 1.02), xlabel="call c", ylabel="verified by call c, %")
    left.set_title("A  Completion of one attempt")
    right.set(xlim=(0, budget * 1.02), ylim=(-0.02, 1.02), xlabel="restart cutoff, calls", ylabel="success, %")
    right.set_title(f"B  Repeated cutoffs, {budget} calls in all")
    for axes in (left, right):
        axes.xaxis.get_major_locator().set_params(integer=True)
    percent_axis(left.yaxis)
    percent_axis(right.yaxis)
    if any(one["completion"]["beyond"] for one in cohorts):
        left.plot([], [], ":", color="black", linewidth=1, label="Aalen–Johansen")
    right.plot([], [], "o", color="grey", markersize=7, label="best cutoff in sample")
    handles, labels = _joined(left, right)
    figure.legend(handles, labels, loc="outside upper left", ncols=4 if max(map(len, labels)) < 24 else 2)


def _joined(*axes: Any) -> tuple[list[Any], list[str]]:
    found: dict[str, Any] = {}
    for one in axes[::-1]:
        for handle, text in zip(*one.get_legend_handles_labels(), strict=True):
            found.setdefault(text, handle)
    return list(found.values()), list(found)


def _said(cohort: Cohort) -> str:
    macro = cohort["completion"]["macro"]
    curve = macro["completion"]
    said = (
        f"{shown(cohort['runtime'])}, {shown(cohort['arm'])}: {curve['value'][-1]:.1%} verified by call "
        f"{macro['calls'][-1]} (band {curve['low'][-1]:.1%} to {curve['high'][-1]:.1%})"
    )
    best = cohort["replay"].get("best")
    if best is None:
        return said + "; no cutoff could be replayed."
    cutoffs = ", ".join(map(str, best["cutoffs"]))
    return said + f"; best cutoff in sample {cutoffs}, {best['value']:.1%}."
