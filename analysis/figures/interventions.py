"""What an intervention changed: how attempts ended, by reason, and what they cost against the baseline (figure 5)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from analysis.figures.style import BLACK, BLUE, GREEN, GREY, ORANGE, PURPLE, RED, SKY, Drawing, drawn, shown

#: Colour and hatching of the commonest reasons; others are grey.
_STYLES = {
    "verified": (GREEN, ""), "repeated_format_error": (ORANGE, "///"), "unverified_submission": (RED, "xx"),
    "horizon": ("#D9D9D9", ""), "wall_limit": (SKY, ".."), "cost_limit": (SKY, "oo"),
}  # fmt: skip
_INCREASES = (
    ("cost_increase", "cost", BLUE), ("wall_increase", "wall time", PURPLE), ("calls_increase", "calls", GREY),
)  # fmt: skip


def interventions(one: Mapping[str, Any], name: str) -> Drawing:
    """Panel A: shares of endings of every arm, by reason, with counts. Panel B: increases of means over the baseline.

    Args:
        one: of ``interventions`` in a report's document.
        name: of the figure, for files.
    """
    arms = one["arms"]
    alt = (
        "How the attempts of each arm ended, by reason"
        + (", and by how much mean cost, wall time and calls of the acting arms grew. " if one["contrasts"] else ". ")
        + " ".join(f"{shown(arm['arm'])}: {_said(arm)}." for arm in arms)
        + "".join(_grown(row) for row in one["contrasts"])
    )
    title = f"Interventions in {shown(one['stage'])}, {shown(one['runtime'])}"
    height = 2.0 + 0.4 * max(len(arms), len(one["contrasts"]) * 1.6)
    return drawn(name, title, alt, [one["origin"]], height, lambda figure: _draw(figure, one))


def endings_of(arm: Mapping[str, Any]) -> dict[str, int]:
    """Counts by reason: verified first, then terminal and censored ones."""
    found = {"verified": arm["verified"], **arm["reasons"]["terminal"], **arm["reasons"]["censored"]}
    return {reason: count for reason, count in found.items() if count}


def _draw(figure: Any, one: Mapping[str, Any]) -> None:
    from matplotlib.patches import Patch

    if one["contrasts"]:
        left, right = figure.subplots(1, 2, width_ratios=(2.2, 1))
        _increases(right, one)
    else:
        left = figure.subplots()
    arms, used = one["arms"], {}
    for place, arm in enumerate(arms):
        begin, total = 0.0, arm["attempts"]
        for reason, count in endings_of(arm).items():
            colour, hatch = used[reason] = _STYLES.get(reason, (GREY, ""))
            width = 100 * count / total
            left.barh(place, width, left=begin, height=0.62, color=colour, hatch=hatch, edgecolor=BLACK, linewidth=0.6)
            if width >= 4:
                plate = {"facecolor": "white", "edgecolor": "none", "pad": 1.0, "alpha": 0.85}
                left.text(begin + width / 2, place, str(count), ha="center", va="center", fontsize=7.5, bbox=plate)
            begin += width
    left.set_ylim(len(arms) - 0.5, -0.5)
    left.set_yticks(range(len(arms)), [shown(arm["arm"]) for arm in arms])
    left.set(xlim=(0, 100), xlabel="attempts, %")
    left.set_title("A  Endings")
    left.grid(False, axis="y")
    figure.legend(
        handles=[Patch(facecolor=c, hatch=h, edgecolor=BLACK, label=shown(reason)) for reason, (c, h) in used.items()],
        loc="outside upper left", ncols=3,
    )  # fmt: skip


def _increases(axes: Any, one: Mapping[str, Any]) -> None:
    rows = [(row["arm"], row[key], label, colour) for row in one["contrasts"] for key, label, colour in _INCREASES]
    ends = [100 * value for _, value, _, _ in rows if value is not None] + [0.0]
    for place, (_, value, _, colour) in enumerate(rows):
        if value is None:
            axes.text(0, place, " unknown", va="center", fontsize=7.5, style="italic")
            continue
        axes.barh(place, 100 * value, height=0.62, color=colour, edgecolor=BLACK, linewidth=0.6)
        axes.text(max(0.0, 100 * value), place, f" {100 * value:+.0f}", va="center", fontsize=7.5)
    many = len(one["contrasts"]) > 1
    labels = [f"{label} · {shown(arm, 16)}" if many else label for arm, _, label, _ in rows]
    axes.set_yticks(range(len(rows)), labels)
    axes.set_ylim(len(rows) - 0.5, -0.5)
    room = max(10.0, max(ends) - min(ends))
    axes.set_xlim(min(ends) - 0.05 * room, max(ends) + 0.3 * room)
    axes.set_xlabel(f"increase over {shown(str(one['baseline']))}, %")
    axes.set_title("B  Price")
    axes.grid(False, axis="y")


def _said(arm: Mapping[str, Any]) -> str:
    return ", ".join(f"{count} {shown(reason)}" for reason, count in endings_of(arm).items()) or "no counted attempt"


def _grown(row: Mapping[str, Any]) -> str:
    said = [f"{label} {100 * row[key]:+.0f} %" for key, label, _ in _INCREASES if row[key] is not None]
    return f" {shown(row['arm'])} against {shown(row['against'])}: {', '.join(said) or 'amounts unknown'}."
