"""Forest plot of policies: what each achieves on held-out repeats, and against one fixed action."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from analysis.figures.style import BLACK, BLUE, GREY, RED, Drawing, drawn, percent_axis, shown


def readout_policies(panel: Mapping[str, Any], name: str) -> Drawing:
    """Panel A: held-out success and its interval. Panel B: the paired difference from the reference policy."""
    rows = panel["policies"]
    against = rows[0]["against"]
    alt = "A row per policy. " + " ".join(
        f"{row['policy']} ({row['episodes']} episodes a decision): {100 * row['success']:.1f} %, "
        f"{100 * row['difference']:+.1f} points against {against}." for row in rows
    )  # fmt: skip
    title = f"{shown(panel['name'], 50)}: what choosing is worth"
    height = 1.6 + 0.27 * len(rows)
    return drawn(name, title, alt, [panel["origin"]], height, lambda figure: _draw(figure, rows, against))


def _draw(figure: Any, rows: Sequence[Mapping[str, Any]], against: str) -> None:
    left, right = figure.subplots(1, 2, sharey=True, width_ratios=(1.15, 1))
    for place, row in enumerate(rows):
        colour = _colour(row["policy"])
        marker = "s" if row["policy"].startswith("selected") else "o"
        hollow = {"markerfacecolor": "#FFFFFF"} if row["policy"] == against else {}
        for axes, value, ends in (
            (left, row["success"], row["interval"]), (right, row["difference"], row["difference_interval"]),
        ):  # fmt: skip
            axes.plot(ends, [place, place], "-", color=colour, linewidth=1.6, zorder=2)
            axes.plot([value], [place], marker, color=colour, markeredgecolor=BLACK, markersize=6, clip_on=False,
                      zorder=3, **hollow)  # fmt: skip
    base = next(row for row in rows if row["policy"] == against)
    left.axvline(base["success"], color=GREY, linewidth=0.9, linestyle="--", zorder=1)
    right.axvline(0, color=GREY, linewidth=0.9, linestyle="--", zorder=1)
    top = max(row["interval"][1] for row in rows)
    left.set(xlim=(-0.02 * max(top, 0.1), 1.06 * max(top, 0.1)), ylim=(len(rows) - 0.4, -0.6), xlabel="success, %")
    left.set_yticks(range(len(rows)), [row["policy"] for row in rows])
    widest = max(abs(end) for row in rows for end in row["difference_interval"]) or 0.1
    right.set(xlim=(-1.08 * widest, 1.08 * widest), xlabel=f"minus {shown(against, 24)}, points")
    left.set_title("A  Held-out success")
    right.set_title("B  Paired difference")
    percent_axis(left.xaxis)
    percent_axis(right.xaxis, signed=True)
    beside = right.twinx()
    beside.set_ylim(left.get_ylim())
    beside.set_yticks(range(len(rows)), [_episodes(row["episodes"]) for row in rows], fontsize=7.5)
    beside.grid(False)
    for axes in (left, right, beside):
        axes.tick_params(axis="y", length=0)


def _colour(policy: str) -> str:
    if policy.startswith("selected"):
        return BLUE
    return RED if policy.startswith("always") else GREY


def _episodes(count: int) -> str:
    return "1 episode" if count == 1 else f"{count} episodes"
