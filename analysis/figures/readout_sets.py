"""What agreement is made of: pairs of best-action sets by how they compare, a bar per k."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from analysis.figures.style import BLACK, BLUE, GREEN, ORANGE, SKY, Drawing, drawn, percent_axis, shown

#: Parts of a bar: what it is, colour, hatching.
PARTS = (
    ("same single winner", GREEN, ""), ("same set of several", SKY, ""), ("same set, all scored 0", ORANGE, "///"),
    ("other sets, an action in common", "#D9D9D9", ""), ("no action in common", "#FFFFFF", "xx"),
)  # fmt: skip

#: Bars that a page holds.
MOST = 30


def set_shares(values: Mapping[str, float], zero_is_single: bool = False) -> list[float]:
    """Shares of pairs in the order of ``PARTS``; they sum to 1.

    Args:
        values: metrics of one k.
        zero_is_single: whether costs make the set of an all-zero block a single action.
    """
    zero = values["all_zero"]
    single = values["single"] - (zero if zero_is_single else 0.0)
    several = values["multiple"] - (0.0 if zero_is_single else zero)
    shares = [single, several, zero, values["common_action"] - values["agreement"], 1 - values["common_action"]]
    return [max(0.0, share) for share in shares]


def readout_sets(panels: Sequence[Mapping[str, Any]], zero_is_single: Sequence[bool], name: str) -> Drawing:
    """Bars of panels and k, the panels below one another."""
    rows = [
        (panel, k, set_shares(panel["k"][k], single))
        for panel, single in zip(panels, zero_is_single, strict=True)
        for k in panel["k"]
    ][:MOST]
    alt = "A bar per panel and number of draws k, of all pairs of blocks. " + " ".join(
        f"{shown(panel['name'])}, k = {k}: "
        + ", ".join(f"{100 * share:.1f} % {part[0]}" for share, part in zip(shares, PARTS, strict=True))
        + f"; mean size of sets {panel['k'][k]['mean_size']:.2f}."
        for panel, k, shares in rows
    )
    origins = sorted({panel["origin"] for panel in panels})
    title = "What agreement is made of"
    return drawn(name, title, alt, origins, 1.75 + 0.3 * len(rows), lambda figure: _draw(figure, rows))


def _draw(figure: Any, rows: Sequence[tuple[Mapping[str, Any], str, list[float]]]) -> None:
    from matplotlib.lines import Line2D
    from matplotlib.patches import Patch

    axes = figure.subplots()
    several = len({panel["name"] for panel, _, _ in rows}) > 1
    for place, (panel, k, shares) in enumerate(rows):
        begin = 0.0
        for share, (_, colour, hatch) in zip(shares, PARTS, strict=True):
            if share > 0:
                axes.barh(place, share, left=begin, height=0.66, color=colour, hatch=hatch, edgecolor=BLACK,
                          linewidth=0.6)  # fmt: skip
            if share >= 0.06:
                plate = {"facecolor": "white", "edgecolor": "none", "pad": 0.8, "alpha": 0.85}
                axes.text(begin + share / 2, place, f"{100 * share:.0f}", ha="center", va="center", fontsize=7.5,
                          bbox=plate)  # fmt: skip
            begin += share
        reference = panel["k"][k]["size_reference"]
        axes.plot([reference, reference], [place - 0.42, place + 0.42], "-", color=BLUE, linewidth=2.2)
    axes.set(xlim=(0, 1), ylim=(len(rows) - 0.5, -0.5), xlabel="pairs of blocks, %")
    labels = [f"{shown(panel['name'], 26)}, k = {k}" if several else f"k = {k}" for panel, k, _ in rows]
    axes.set_yticks(range(len(rows)), labels)
    beside = axes.twinx()
    beside.set_ylim(axes.get_ylim())
    beside.set_yticks(range(len(rows)), [f"{panel['k'][k]['mean_size']:.2f}" for panel, k, _ in rows], fontsize=8)
    beside.set_ylabel("mean size of sets", fontsize=8)
    beside.grid(False)
    for one in (axes, beside):
        one.tick_params(axis="y", length=0)
    axes.grid(False, axis="y")
    percent_axis(axes.xaxis)
    handles: list[Any] = [Patch(facecolor=colour, hatch=hatch, edgecolor=BLACK, label=text)
                          for text, colour, hatch in PARTS]  # fmt: skip
    handles.append(Line2D([], [], color=BLUE, linewidth=2.2, label="matches of random sets of these sizes"))
    figure.legend(handles=handles, loc="outside upper left", ncols=3)
