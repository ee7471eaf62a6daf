"""Success of restart and continue from each frozen state, side by side."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from analysis.figures.style import BLACK, BLUE, GREY, RED, Drawing, drawn, percent_axis, shown

_MARKS = {"restart": "▲ restart", "continue": "▼ continue", "abstain": ""}


def checkpoints(part: Mapping[str, Any], rows: Sequence[Mapping[str, Any]], name: str, number: int = 1) -> Drawing:
    """p and q of each checkpoint, joined by a line, with the decision beside it.

    Args:
        part: a checkpoint stage of a report's document.
        rows: its decisions, at most ``forest.MOST``.
        number: which of several figures it is.
    """
    audit = part["audit"]
    restart, cont = audit["compare"]["restart"], audit["compare"]["continue"]
    title = f"{shown(part['stage'], 40)}: {restart} and {cont} from the same states"
    title += f" (part {number})" if number > 1 else ""
    better = sum(row["p"] > row["q"] for row in rows)
    worse = sum(row["p"] < row["q"] for row in rows)
    counts = ", ".join(f"{sum(row['decision'] == one for row in rows)} {one}" for one in _MARKS)
    alt = (
        f"A row per checkpoint with the success of {restart} and of {cont} in {rows[0]['n']} draws each. {restart} "
        f"did better in {better} of {len(rows)}, {cont} in {worse}. Decisions of {audit['method']}: {counts}."
    )
    origins = sorted({row["origin"] for row in rows})
    return drawn(name, title, alt, origins, 1.75 + 0.21 * len(rows), lambda figure: _draw(figure, part, rows))


def _draw(figure: Any, part: Mapping[str, Any], rows: Sequence[Mapping[str, Any]]) -> None:
    axes = figure.subplots()
    for place, row in enumerate(rows):
        axes.plot([row["q"], row["p"]], [place, place], "-", color=GREY, linewidth=1.4)
        axes.plot([row["q"]], [place], "s", color=RED, markeredgecolor=BLACK, markersize=8, clip_on=False)
        axes.plot([row["p"]], [place], "o", color=BLUE, markeredgecolor=BLACK, markersize=6, clip_on=False)
    axes.set(xlim=(-0.03, 1.03), ylim=(len(rows) - 0.4, -0.6), xlabel="success, %")
    several = len({row["runtime"] for row in rows}) > 1
    labels = [f"{row['task']} · {row['checkpoint'][:8]}" + (f" · {row['runtime']}" if several else "") for row in rows]
    axes.set_yticks(range(len(rows)), [shown(label, 44) for label in labels])
    beside = axes.twinx()
    beside.set_ylim(axes.get_ylim())
    beside.set_yticks(range(len(rows)), [_MARKS[row["decision"]] for row in rows], fontsize=7.5)
    beside.grid(False)
    for one in (axes, beside):
        one.tick_params(axis="y", length=0)
    percent_axis(axes.xaxis)
    compare = part["audit"]["compare"]
    for label, colour, marker in ((compare["restart"], BLUE, "o"), (compare["continue"], RED, "s")):
        axes.plot([], [], marker, color=colour, markeredgecolor=BLACK, markersize=6, label=label)
    figure.legend(loc="outside upper left", ncols=2)
