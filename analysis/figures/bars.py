"""Parts that the figures of outcomes share: names of cohorts, and bars of events."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from analysis.figures.style import BLACK, EVENT_STYLES, shown

Cohort = Mapping[str, Any]

_NAMES = ("stage", "runtime", "arm", "origin", "digest")


def cohort_label(cohort: Cohort, among: Sequence[Cohort], most: int = 40) -> str:
    """Runtime of a cohort, and whatever else is needed to tell it from the others."""
    parts = ["runtime"]
    for field in ("stage", "arm"):
        if len({one[field] for one in among}) > 1:
            parts.append(field)
    for field in ("origin", "digest"):
        alike = [one for one in among if all(one[part] == cohort[part] for part in parts)]
        if len({one[field] for one in alike}) > 1:
            parts.append(field)
    texts = {field: cohort[field][:8] if field == "digest" else cohort[field] for field in _NAMES}
    if cohort["origin"] == "synthetic" and len({one["origin"] for one in among}) > 1:
        texts["runtime"] += " (synthetic)"
    return shown(" · ".join(texts[field] for field in _NAMES if field in parts), most)


def event_bar(axes: Any, place: int, counts: Mapping[str, int], *, shares: bool) -> None:
    """A bar of counts of events, stacked; as shares of their sum in percent, if wanted.

    The count stands where there is room, and beside a share its percentage.
    """
    total = sum(counts.values())
    begin = 0.0
    for event, count in counts.items():
        if not count:
            continue
        colour, hatch = EVENT_STYLES[event]
        width = 100 * count / total if shares and total else float(count)
        axes.barh(place, width, left=begin, height=0.62, color=colour, hatch=hatch, edgecolor=BLACK, linewidth=0.6)
        if shares and width >= 3.5:
            text = f"{count} ({width:.0f} %)" if width >= 20 else str(count)
            plate = {"facecolor": "white", "edgecolor": "none", "pad": 1.0, "alpha": 0.85}
            axes.text(begin + width / 2, place, text, ha="center", va="center", fontsize=7.5, color=BLACK, bbox=plate)
        begin += width
    if not total:
        axes.text(0, place, " no counted attempt", va="center", fontsize=7.5, style="italic")


def event_handles(events: Sequence[str]) -> list[Any]:
    """Legend entries of events."""
    from matplotlib.patches import Patch

    return [
        Patch(facecolor=EVENT_STYLES[event][0], hatch=EVENT_STYLES[event][1], edgecolor=BLACK, label=event)
        for event in events
    ]


def cohort_rows(axes: Any, cohorts: Sequence[Cohort]) -> None:
    """A row per cohort, the first one on top."""
    axes.set_ylim(len(cohorts) - 0.5, -0.5)
    axes.set_yticks(range(len(cohorts)), [cohort_label(one, cohorts) for one in cohorts])
