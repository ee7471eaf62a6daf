"""Conditional restart advantage with simultaneous bounds, a row per live comparison (figure 4 of arXiv 2610.36544)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from analysis.figures.style import BLACK, BLUE, GREY, RED, Drawing, drawn, percent_axis, shown

#: Rows that a page holds.
MOST = 40

_STYLES = {"restart": (BLUE, "^"), "continue": (RED, "v"), "abstain": (GREY, "o")}


def shown_time(audit: Mapping[str, Any]) -> int:
    """The decision call that the figure shows, by design: the first one with at most half the budget left, else the
    last. From there on a restart at t is a repeated cutoff at t."""
    late = [t for t in sorted(audit["times"]) if 2 * t >= audit["budget"]]
    return late[0] if late else max(audit["times"])


def forest(audit: Mapping[str, Any], rows: Sequence[Mapping[str, Any]], name: str, part: int = 1) -> Drawing:
    """p - q of each comparison and [L_R - U_C, U_R - L_C].

    Args:
        audit: an audit of a report's document.
        rows: comparisons of one decision call in which some attempt was live, at most ``MOST``.
        part: which of several figures it is.
    """
    t = rows[0]["t"]
    counts = {decision: sum(row["decision"] == decision for row in rows) for decision in _STYLES}
    said = ", ".join(f"{count} {decision}" for decision, count in counts.items())
    origins = sorted({row["origin"] for row in rows})
    if rows[0]["restart_interval"] is None:
        lines = f"{audit['method']} tests signs and gives no bounds, so dots only."
    else:
        lines = f"Lines are bounds that hold for all {audit['family']} comparisons of the family at once."
    low, high = (round(100 * end(row["p"] - row["q"] for row in rows)) for end in (min, max))
    stages = shown(", ".join(audit["stages"]), 50)
    title = f"{stages}: restart minus continue at call {t} of {audit['budget']}" + (
        f" (part {part})" if part > 1 else ""
    )
    alt = (
        f"A row per task with a live attempt at call {t}: the estimate of restart success minus continuation success, "
        f"from {low:+d} to {high:+d} points. {lines} Decisions of {audit['method']} in these {len(rows)} rows: {said}."
    )
    return drawn(name, title, alt, origins, 1.75 + 0.21 * len(rows), lambda figure: _draw(figure, audit, rows))


def _draw(figure: Any, audit: Mapping[str, Any], rows: Sequence[Mapping[str, Any]]) -> None:
    axes = figure.subplots()
    for place, row in enumerate(rows):
        colour, marker = _STYLES[row["decision"]]
        fresh, cont = row["restart_interval"], row["continue_interval"]
        if fresh is not None:
            axes.plot([fresh[0] - cont[1], fresh[1] - cont[0]], [place, place], "-", color=colour, linewidth=1.4)
        estimate = row["p"] - row["q"]
        axes.plot([estimate], [place], marker, color=colour, markeredgecolor=BLACK, markersize=6, clip_on=False)
    axes.axvline(0, color=BLACK, linewidth=0.9)
    axes.set(xlim=(-1.03, 1.03), ylim=(len(rows) - 0.4, -0.6), xlabel="p − q, percentage points")
    axes.set_yticks(range(len(rows)), [_label(row, rows) for row in rows])
    beside = axes.twinx()
    beside.set_ylim(axes.get_ylim())
    beside.set_yticks(
        range(len(rows)), [f"q {row['y']}/{row['live']}   p {row['x']}/{row['n']}" for row in rows], fontsize=7.5
    )
    beside.grid(False)
    for one in (axes, beside):
        one.tick_params(axis="y", length=0)
    axes.set_title("← continue better        restart better →", loc="center", fontweight="normal", fontsize=8.5)
    percent_axis(axes.xaxis, signed=True)
    for decision, (colour, marker) in _STYLES.items():
        axes.plot([], [], marker, color=colour, markeredgecolor=BLACK, markersize=6, label=decision)
    figure.legend(loc="outside upper left", ncols=3)


def _label(row: Mapping[str, Any], among: Sequence[Mapping[str, Any]]) -> str:
    mark = " (synthetic)" if row["origin"] == "synthetic" and len({one["origin"] for one in among}) > 1 else ""
    parts = [shown(row["task"], 24), row["runtime"] + mark]
    parts += [row[field] for field in ("stage", "arm") if len({one[field] for one in among}) > 1]
    return shown(" · ".join(parts), 44)
