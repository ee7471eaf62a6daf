"""A monitor stage: success of its arms, gains as promised and as found, and cost."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from analysis.figures.style import BLACK, BLUE, GREEN, GREY, ORANGE, RED, Drawing, drawn, percent_axis, shown

#: Estimates of a gain, in the order in which they become known: colour and marker.
_GAINS = (("promised", GREY, "D"), ("replayed", BLUE, "o"), ("realised", RED, "s"))
_WORDS = {
    "promised": "promised by calibration", "replayed": "rule on held-out continuations", "realised": "arm",
}  # fmt: skip


def monitors(one: Mapping[str, Any], name: str) -> Drawing:
    """Panel A: success per arm; B: gains over continuation; C: calls per attempt, the monitor's apart.

    Args:
        one: of ``monitors`` in a report's document, with a success.
        name: of the figure, for files.
    """
    said = "; ".join(f"{row['arm']} {_percent(row['value'])}" for row in one["success"]["arms"])
    gains = "; ".join(
        f"{row['arm']} {_percent(row['promised'])} promised, {_percent(row['realised']['value'])} found"
        for row in one["calibration"]["arms"]
    )
    alt = (
        f"Three panels. Left: success of each arm on held-out tasks ({said}). Middle: gain over continuation as "
        f"promised by calibration and as found ({gains}). Right: mean calls per attempt, those of the monitor apart."
    )
    title = f"Monitor {shown(one['monitor'])} in {shown(one['stage'])}, {shown(one['runtime'])}"
    return drawn(name, title, alt, [one["origin"]], 2.7, lambda figure: _draw(figure, one))


def _draw(figure: Any, one: Mapping[str, Any]) -> None:
    left, middle, right = figure.subplots(1, 3, width_ratios=(1, 1.2, 1))
    arms = [row["arm"] for row in one["success"]["arms"]]
    for place, row in enumerate(one["success"]["arms"]):
        _mark(left, place, row, GREEN, "o")
    left.set_title("A  Success")
    left.set_xlabel("verified, %")
    left.set_xlim(-0.02, 1.02)
    percent_axis(left.xaxis)
    _rows(left, arms)
    for place, row in enumerate(one["calibration"]["arms"]):
        for offset, (key, colour, marker) in zip((-0.22, 0.0, 0.22), _GAINS, strict=True):
            found = row[key] if isinstance(row[key], Mapping) else {"value": row[key], "low": None, "high": None}
            _mark(middle, place + offset, found, colour, marker, _WORDS[key] if place == 0 else None)
    middle.axvline(0, color=BLACK, linewidth=0.8)
    middle.set_title("B  Gain over continuation")
    middle.set_xlabel("points")
    percent_axis(middle.xaxis, signed=True)
    _rows(middle, [row["arm"] for row in one["calibration"]["arms"]])
    for place, row in enumerate(one["cost"]):
        agent, monitor = row["agent_calls"] or 0.0, row["monitor_calls"] or 0.0
        first, second = ("agent", "monitor") if place == 0 else (None, None)
        right.barh(place, agent, height=0.55, color="#D9D9D9", edgecolor=BLACK, linewidth=0.6, label=first)
        right.barh(place, monitor, left=agent, height=0.55, color=ORANGE, hatch="///", edgecolor=BLACK, linewidth=0.6,
                   label=second)  # fmt: skip
    right.set_title("C  Cost")
    right.set_xlabel("calls per attempt")
    _rows(right, [row["arm"] for row in one["cost"]])
    figure.legend(loc="outside lower center", ncols=5)


def _mark(axes: Any, place: float, row: Mapping[str, Any], colour: str, marker: str, label: str | None = None) -> None:
    if row["value"] is None:
        return
    if row["low"] is not None:
        axes.plot([row["low"], row["high"]], [place, place], color=colour, linewidth=1.4)
    axes.plot([row["value"]], [place], marker, color=colour, markersize=5, label=label)


def _rows(axes: Any, names: list[str]) -> None:
    axes.set_ylim(len(names) - 0.5, -0.5)
    axes.set_yticks(range(len(names)), [shown(name, 16) for name in names])
    axes.grid(False, axis="y")


def _percent(value: float | None) -> str:
    return "unknown" if value is None else f"{100 * value:.1f} %"
