"""Figures of recovery scores: tasks with their passes and qualities, and what the quality is made of."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from analysis.figures.style import BLACK, BLUE, GREEN, GREY, ORANGE, RED, Drawing, drawn, shown

#: Rows that a page holds.
MOST = 40

#: Diameter of the dot of one trial, points.
_DOT = 4.5

_PARTS = (
    ("strict_pass", "strict pass", GREEN, ""), ("genuine_failure", "failure", ORANGE, "///"),
    ("timeout", "timeout", GREY, "..."), ("excluded", "excluded", "#FFFFFF", "xx"),
)  # fmt: skip


def recovery_figures(fields: Mapping[str, Any], number: int) -> list[Drawing]:
    """The figures of one entry (``recovery.fields.entry_fields``); ``number`` tells entries apart in file names."""
    return [_tasks(fields, f"recovery-tasks-{number}"), _parts(fields, f"recovery-quality-{number}")]


def _tasks(fields: Mapping[str, Any], name: str) -> Drawing:
    rows = fields["score"]["tasks"][:MOST]
    title = f"{shown(fields['runtime'])}: what became of each task"
    said = "; ".join(f"{row['task']} {row['passes']} of {row['trials']}" for row in rows)
    alt = f"A row per task: attempts by outcome, and the quality of each valid trial. Strict passes: {said}."
    return drawn(name, title, alt, fields["origins"], 1.9 + 0.26 * len(rows), lambda figure: _draw_tasks(figure, rows))


def _draw_tasks(figure: Any, rows: Sequence[Mapping[str, Any]]) -> None:
    from matplotlib.patches import Patch

    left, right = figure.subplots(1, 2, sharey=True, width_ratios=(1, 1.15))
    for place, row in enumerate(rows):
        counts = {**row["statuses"], "excluded": sum(row["excluded"].values())}
        begin = 0
        for status, _, colour, hatch in _PARTS:
            left.barh(place, counts[status], left=begin, height=0.62, color=colour, hatch=hatch, edgecolor=BLACK,
                      linewidth=0.6)  # fmt: skip
            begin += counts[status]
        if not begin:
            left.text(0, place, " not attempted", va="center", fontsize=7.5, style="italic")
        for value, count in _stacks(row["qualities"]):
            size = _DOT * count**0.5
            right.plot([value], [place], "o", color=BLUE, alpha=0.75, markersize=size, clip_on=False, zorder=3)
        if row["quality"] is not None:
            right.plot([row["quality"]], [place], "|", color=RED, markersize=12, markeredgewidth=2)
    left.set(ylim=(len(rows) - 0.5, -0.5), xlabel="attempts")
    left.set_yticks(range(len(rows)), [shown(row["task"], 28) for row in rows])
    left.xaxis.get_major_locator().set_params(integer=True)
    left.set_title("A  Attempts by outcome")
    right.set(xlim=(-3, 103), xlabel="quality of valid trials, 0 to 100")
    right.set_title("B  Quality")
    for axes in (left, right):
        axes.tick_params(axis="y", length=0)
        axes.grid(False, axis="y")
    handles = [Patch(facecolor=colour, hatch=hatch, edgecolor=BLACK, label=text) for _, text, colour, hatch in _PARTS]
    (dot,) = right.plot([], [], "o", color=BLUE, markersize=_DOT, label="trial (area: how many)")
    (bar,) = right.plot([], [], "|", color=RED, markersize=12, markeredgewidth=2, label="mean of the task")
    figure.legend(handles=[*handles, dot, bar], loc="outside upper left", ncols=6, columnspacing=1.2)


def _stacks(values: Sequence[float]) -> list[tuple[float, int]]:
    return [(value, values.count(value)) for value in sorted(set(values))]


def _parts(fields: Mapping[str, Any], name: str) -> Drawing:
    dimensions = fields["score"]["dimensions"]
    letters = [letter for letter in dimensions if letter != "gap"]
    means = {letter: dimensions[letter]["mean"] for letter in letters}
    title = f"{shown(fields['runtime'])}: dimensions, caps and passes per task"
    histogram = fields["spread"]["histogram"]
    said = ", ".join(f"{letter} {means[letter]:.2f}" for letter in letters)
    caps = ", ".join(f"{cap} {row['binding']}" for cap, row in fields["score"]["caps"].items())
    alt = (
        f"Mean of each dimension over valid trials: {said}. Trials whose quality a cap lowered: {caps}. Tasks by "
        f"number of strict passes, from 0 to {len(histogram) - 1}: {', '.join(map(str, histogram))}."
    )
    return drawn(name, title, alt, fields["origins"], 2.9, lambda figure: _draw_parts(figure, fields, letters))


def _draw_parts(figure: Any, fields: Mapping[str, Any], letters: Sequence[str]) -> None:
    first, second, third = figure.subplots(1, 3, width_ratios=(1.25, 1, 1))
    dimensions, caps = fields["score"]["dimensions"], fields["score"]["caps"]
    for place, letter in enumerate(letters):
        first.barh(place, dimensions[letter]["mean"], height=0.6, color=BLUE, edgecolor=BLACK, linewidth=0.6)
    first.set(xlim=(0, 1.03), ylim=(len(letters) - 0.5, -0.5), xlabel="mean over valid trials")
    first.set_yticks(range(len(letters)), [dimensions[letter]["name"] for letter in letters])
    first.set_title("A  Dimensions")
    for place, row in enumerate(caps.values()):
        second.barh(place, row["applied"], height=0.6, color="#FFFFFF", hatch="///", edgecolor=BLACK, linewidth=0.6)
        second.barh(place, row["binding"], height=0.6, color=RED, edgecolor=BLACK, linewidth=0.6)
    second.set(ylim=(len(caps) - 0.5, -0.5), xlabel="trials (red: quality lowered)")
    second.set_yticks(range(len(caps)), [name.replace("_", " ") for name in caps])
    second.set_xlim(0, 1.05 * max(1, *(row["applied"] for row in caps.values())))
    second.set_title("B  Caps")
    histogram = fields["spread"]["histogram"]
    third.bar(range(len(histogram)), histogram, width=0.7, color=GREEN, edgecolor=BLACK, linewidth=0.6)
    third.set(xlabel=f"strict passes of {len(histogram) - 1}", ylabel="tasks")
    third.set_xticks(range(len(histogram)))
    third.set_title("C  Tasks by passes")
    for axes, along in ((first, "y"), (second, "y"), (third, "x")):
        axes.tick_params(axis=along, length=0)
        axes.grid(False, axis=along)
    for axis in (second.xaxis, third.yaxis):
        axis.get_major_locator().set_params(integer=True)
