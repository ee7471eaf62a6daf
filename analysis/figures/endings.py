"""How attempts ended and what they cost, per stage, runtime and arm (figure 5 of arXiv 2610.36544)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from analysis.figures.bars import Cohort, cohort_rows, event_bar, event_handles
from analysis.figures.style import BLACK, BLUE, PURPLE, Drawing, drawn, shown

_EVENTS = ("verified", "terminal", "censored")


def endings(cohorts: Sequence[Cohort], part: int = 1, name: str = "endings") -> Drawing:
    """Panel A: shares of outcomes, with counts. Panels B and C: mean cost and wall time of a counted attempt.

    Args:
        cohorts: of a report's document.
        part: which of several figures it is.
        name: of the figure, for files.
    """
    origins = sorted({one["origin"] for one in cohorts})
    alt = (
        "Three panels with a bar per stage, runtime and arm. Left: how attempts ended. Middle and right: mean cost and "
        "mean wall time of a counted attempt, where known. " + " ".join(_said(one) for one in cohorts)
    )
    title = "How attempts ended, and what they cost" + (f" (part {part})" if part > 1 else "")
    return drawn(name, title, alt, origins, 1.9 + 0.32 * len(cohorts), lambda figure: _draw(figure, cohorts))


def _draw(figure: Any, cohorts: Sequence[Cohort]) -> None:
    left, middle, right = figure.subplots(1, 3, width_ratios=(2.6, 1, 1), sharey=True)
    for place, one in enumerate(cohorts):
        event_bar(left, place, {event: one["totals"][event] for event in _EVENTS}, shares=True)
    cohort_rows(left, cohorts)
    left.set(xlim=(0, 100), xlabel="attempts, %")
    left.set_title("A  Outcomes")
    for axes, field, title, unit, colour in (
        (middle, "cost_usd", "B  Cost", "US $", BLUE), (right, "wall_s", "C  Wall time", "seconds", PURPLE),
    ):  # fmt: skip
        _amounts(axes, [one["spending"][field]["mean_of_known_attempts"] for one in cohorts], colour)
        axes.set(xlabel=f"mean {unit}")
        axes.set_title(title)
    for axes in (left, middle, right):
        axes.tick_params(axis="y", length=0)
        axes.grid(False, axis="y")
    figure.legend(handles=event_handles(_EVENTS), loc="outside upper left", ncols=3)


def _amounts(axes: Any, means: list[float | None], colour: str) -> None:
    known = [mean for mean in means if mean is not None]
    most = max(known, default=0.0) or 1.0
    for place, mean in enumerate(means):
        if mean is None:
            axes.text(0.04 * most, place, "unknown", va="center", fontsize=8, style="italic")
        else:
            axes.barh(place, mean, height=0.62, color=colour, edgecolor=BLACK, linewidth=0.6)
            axes.text(
                mean + 0.04 * most, place, f"{mean:,.0f}" if mean >= 1000 else f"{mean:.3g}", va="center", fontsize=8
            )
    axes.set_xlim(0, 1.5 * most)
    if not known:
        axes.set_xticks([])


def _said(one: Cohort) -> str:
    totals, spent = one["totals"], one["spending"]
    cost, wall = (spent[field]["mean_of_known_attempts"] for field in ("cost_usd", "wall_s"))
    return (
        f"{shown(one['stage'])}, {shown(one['runtime'])}, {shown(one['arm'])}: {totals['verified']} verified, "
        f"{totals['terminal']} terminal, {totals['censored']} censored of {totals['attempts']}; cost "
        f"{'unknown' if cost is None else f'{cost:.3g} US dollars'}, wall time "
        f"{'unknown' if wall is None else f'{wall:,.5g} seconds'}."
    )
