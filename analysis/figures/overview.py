"""Overview of the stages: what was collected, and what restarting was worth."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from analysis.figures.bars import Cohort, cohort_rows, event_bar, event_handles
from analysis.figures.style import BLACK, BLUE, Drawing, drawn, shown

#: Rows that a page holds.
MOST = 40

_EVENTS = ("verified", "terminal", "censored", "excluded")


def overview(document: Mapping[str, Any]) -> Drawing:
    """Panel A: tries by outcome. Panel B: success within the budget of one attempt, and of the best cutoff."""
    cohorts = document["cohorts"][:MOST]
    left_out = len(document["cohorts"]) - len(cohorts)
    more = f" {left_out} more are in the tables." if left_out else ""
    alt = "A row per stage, runtime and arm. " + " ".join(_said(one) for one in cohorts) + more
    title, height = "The stages at a glance", 1.9 + 0.32 * len(cohorts)
    return drawn("overview", title, alt, document["origins"], height, lambda figure: _draw(figure, cohorts))


def _draw(figure: Any, cohorts: Sequence[Cohort]) -> None:
    left, right = figure.subplots(1, 2, width_ratios=(1.2, 1), sharey=True)
    for place, one in enumerate(cohorts):
        totals = one["totals"] | {"excluded": one["totals"]["excluded_tries"]}
        event_bar(left, place, {event: totals[event] for event in _EVENTS}, shares=False)
        replay = one["replay"] or {}
        single, best = replay.get("single"), replay.get("best")
        if single is not None:
            right.plot([100 * single], [place], "o", color=BLACK, markersize=6, markerfacecolor="none")
        if best is not None:
            right.plot([100 * best["value"]], [place], "|", color=BLUE, markersize=13, markeredgewidth=2.5)
        if single is None and best is None:
            right.text(3, place, "not identified", va="center", fontsize=8, style="italic")
    cohort_rows(left, cohorts)
    left.set(xlabel="tries", xlim=(0, 1.04 * max(1, *(one["spending"]["tries"] for one in cohorts))))
    left.set_title("A  What was collected")
    left.xaxis.get_major_locator().set_params(integer=True)
    right.set(xlim=(-4, 104), xlabel="success within the budget, %")
    right.set_title("B  What one budget buys")
    (one,) = right.plot([], [], "o", color=BLACK, markersize=6, markerfacecolor="none", label="one attempt")
    (cut,) = right.plot([], [], "|", color=BLUE, markersize=13, markeredgewidth=2.5, label="best cutoff in sample")
    figure.legend(handles=[*event_handles(_EVENTS), one, cut], loc="outside upper left", ncols=6)
    for axes in (left, right):
        axes.tick_params(axis="y", length=0)
        axes.grid(False, axis="y")


def _said(one: Cohort) -> str:
    totals, replay = one["totals"], one["replay"] or {}
    single, best = replay.get("single"), replay.get("best")
    value = "one attempt within the budget: not identified" if single is None else f"one attempt {single:.1%}"
    cutoff = "" if best is None else f", best cutoff in sample {best['value']:.1%}"
    return (
        f"{shown(one['stage'])}, {shown(one['runtime'])}, {shown(one['arm'])} ({one['origin']}): {totals['verified']} "
        f"verified, {totals['terminal']} terminal, {totals['censored']} censored, {totals['excluded_tries']} tries "
        f"excluded; {value}{cutoff}."
    )
