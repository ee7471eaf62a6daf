"""What became of the pairs of failed patches, per task."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from analysis.figures.style import BLACK, BLUE, GREEN, GREY, ORANGE, Drawing, drawn, shown

#: Parts of a bar in their order: name in the document, colour, hatching, label.
_PARTS = (
    ("conflict", ORANGE, "///", "conflict"), ("equal", "#D9D9D9", "", "no new content"),
    ("left", BLUE, "", "novel, not verified"), ("failed", GREY, "..", "novel, failed"),
    ("passed", GREEN, "", "novel, passed"),
)  # fmt: skip


def reuse(one: Mapping[str, Any], name: str) -> Drawing:
    """A bar per task and runtime: its pairs by outcome, with counts.

    Args:
        one: of ``reuse`` in a report's document.
        name: of the figure, for files.
    """
    rows = one["tasks"]
    alt = "A bar per task: pairs of failed attempts by what their union is. " + " ".join(
        f"{shown(row['task'])}, {shown(row['runtime'])}: "
        + ", ".join(f"{parts_of(row)[key]} {label}" for key, _, _, label in _PARTS) + "."
        for row in rows
    )  # fmt: skip
    title = f"Unions of failed patches of {shown(one['source_stage'])}"
    return drawn(name, title, alt, one["origins"], 1.8 + 0.34 * len(rows), lambda figure: _draw(figure, rows))


def parts_of(row: Mapping[str, Any]) -> dict[str, int]:
    """Pairs of a task by what is drawn; they sum to its pairs. Several pairs may share a union: those are ``equal``."""
    return {
        "conflict": row["conflict"], "equal": row["equal"], "left": row["novel"] - row["verified"],
        "failed": row["verified"] - row["passed"], "passed": row["passed"],
    }  # fmt: skip


def _draw(figure: Any, rows: list[Mapping[str, Any]]) -> None:
    from matplotlib.patches import Patch

    axes = figure.subplots()
    most = max((row["pairs"] for row in rows), default=0) or 1
    for place, row in enumerate(rows):
        begin = 0
        for key, colour, hatch, _ in _PARTS:
            count = parts_of(row)[key]
            axes.barh(place, count, left=begin, height=0.62, color=colour, hatch=hatch, edgecolor=BLACK, linewidth=0.6)
            if count >= 0.04 * most:
                plate = {"facecolor": "white", "edgecolor": "none", "pad": 1.0, "alpha": 0.85}
                axes.text(begin + count / 2, place, str(count), ha="center", va="center", fontsize=7.5, bbox=plate)
            begin += count
    axes.set_ylim(len(rows) - 0.5, -0.5)
    several = len({row["runtime"] for row in rows}) > 1
    labels = [shown(f"{row['task']} · {row['runtime']}" if several else row["task"]) for row in rows]
    axes.set_yticks(range(len(rows)), labels)
    axes.set(xlim=(0, 1.02 * most), xlabel="pairs of failed attempts")
    axes.grid(False, axis="y")
    handles = [Patch(facecolor=colour, hatch=hatch, edgecolor=BLACK, label=label) for _, colour, hatch, label in _PARTS]
    figure.legend(handles=handles, loc="outside upper left", ncols=5)
