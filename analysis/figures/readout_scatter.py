"""Agreement against held-out success, a point per checkpoint: the same winners at different success rates."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from analysis.figures.style import BLACK, Drawing, drawn, percent_axis, shown

#: Values of k that a row of panels has room for.
MOST = 4


def readout_scatter(panel: Mapping[str, Any], name: str) -> Drawing:
    """One small plot per k. Colour is the share of pairs in which everything scored 0, area how many checkpoints.

    Args:
        panel: of a details document.
    """
    ks = list(panel["k"])[:MOST]
    title = f"{shown(panel['name'], 50)}: is a stable winner one that works?"
    said = "; ".join(
        f"k = {k}: agreement {_percent(values['agreement'])}, all-zero pairs {_percent(values['all_zero'])}, held-out "
        f"success {_percent(values['held_out_success'])}" for k, values in ((k, panel["k"][k]) for k in ks)
    )  # fmt: skip
    alt = (
        f"A plot per number of draws k; a point per checkpoint: held-out success across, agreement of best-action sets "
        f"up, darker where more pairs of blocks are all zero. A cross is the mean over {panel['checkpoints']} "
        f"checkpoints: {said}. Pooled success {_percent(panel['pooled_success'])}."
    )
    return drawn(name, title, alt, [panel["origin"]], 3.3, lambda figure: _draw(figure, panel, ks))


def _draw(figure: Any, panel: Mapping[str, Any], ks: list[str]) -> None:
    plots = figure.subplots(1, len(ks), sharex=True, sharey=True, squeeze=False)[0]
    points = None
    for k, axes in zip(ks, plots, strict=True):
        spots = _spots(panel, k)
        # The many first, so that single checkpoints stay visible on top of them.
        order = sorted(spots, key=lambda spot: (-len(spots[spot]), spot))
        zero = [sum(spots[spot]) / len(spots[spot]) for spot in order]
        points = axes.scatter(
            [spot[0] for spot in order], [spot[1] for spot in order], s=[26 * len(spots[spot]) for spot in order],
            c=zero, cmap="cividis_r", vmin=0, vmax=1, edgecolors=BLACK, linewidths=0.7, clip_on=False, zorder=3,
        )  # fmt: skip
        for spot, share in zip(order, zero, strict=True):
            if len(spots[spot]) > 2:
                ink = "white" if share > 0.5 else BLACK
                axes.text(*spot, str(len(spots[spot])), ha="center", va="center", fontsize=7.5, color=ink, zorder=4)
        means = panel["k"][k]
        axes.plot([means["held_out_success"]], [means["agreement"]], "P", color="#FFFFFF", markersize=9,
                  markeredgecolor=BLACK, markeredgewidth=1.1, zorder=5, clip_on=False)  # fmt: skip
        axes.set(xlim=(-0.07, 1.07), ylim=(-0.07, 1.12))
        axes.set_title(f"k = {k}: all-zero {_percent(means['all_zero'])}", fontsize=9)
        percent_axis(axes.xaxis)
        percent_axis(axes.yaxis)
        axes.set_xticks([0, 0.25, 0.5, 0.75, 1])
    plots[0].set_ylabel("agreement, %")
    figure.supxlabel("held-out success of the chosen action, %", fontsize=9)
    bar = figure.colorbar(points, ax=list(plots), ticks=[0, 0.5, 1], pad=0.02, aspect=16)
    bar.set_label("pairs that are all zero, %")
    percent_axis(bar.ax.yaxis)
    from matplotlib.lines import Line2D

    cross = Line2D([], [], marker="P", linestyle="none", color="#FFFFFF", markeredgecolor=BLACK, markersize=8,
                   label="mean over checkpoints")  # fmt: skip
    point = Line2D([], [], marker="o", linestyle="none", color="#FFFFFF", markeredgecolor=BLACK, markersize=6,
                   label="a checkpoint; area and number: several at the same place")  # fmt: skip
    figure.legend(handles=[point, cross], loc="outside upper left", ncols=2)


def _spots(panel: Mapping[str, Any], k: str) -> dict[tuple[float, float], list[float]]:
    """All-zero shares of the checkpoints at each place."""
    found: dict[tuple[float, float], list[float]] = {}
    for values in (row["k"][k] for row in panel["rows"]):
        place = round(values["held_out_success"], 6), round(values["agreement"], 6)
        found.setdefault(place, []).append(values["all_zero"])
    return found


def _percent(value: float | None) -> str:
    return "–" if value is None else f"{100 * value:.1f} %"
