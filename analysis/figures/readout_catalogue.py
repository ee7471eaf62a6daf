"""All figures of a readout's document, in the order in which the page shows them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from analysis.figures.catalogue import file_name
from analysis.figures.readout_policies import readout_policies
from analysis.figures.readout_scatter import readout_scatter
from analysis.figures.readout_sets import MOST, readout_sets
from analysis.figures.style import Drawing


def readout_figures(document: Mapping[str, Any]) -> dict[str, list[Drawing]]:
    """Drawings by the part of the page that shows them: ``scatter N``, ``policies N`` of the N-th panel, ``sets``."""
    found: dict[str, list[Drawing]] = {}
    panels = document["panels"]
    for number, panel in enumerate(panels, 1):
        suffix = f"-{number}-{file_name(panel['name'])}"
        found[f"scatter {number}"] = [readout_scatter(panel, "readout-agreement" + suffix)]
        found[f"policies {number}"] = [readout_policies(panel, "readout-policies" + suffix)]
    found["sets"] = [
        readout_sets(some, [_zero_is_single(one, document["settings"]) for one in some], f"readout-sets-{part}")
        for part, some in enumerate(pages(panels), 1)
    ]
    return found


def pages(panels: Sequence[Mapping[str, Any]], most: int = MOST) -> list[list[Mapping[str, Any]]]:
    """The panels in runs of at most ``most`` bars, one bar per k."""
    found: list[list[Mapping[str, Any]]] = []
    room = 0
    for panel in panels:
        if not found or len(panel["k"]) > room:
            found.append([])
            room = most
        found[-1].append(panel)
        room -= len(panel["k"])
    return found


def _zero_is_single(panel: Mapping[str, Any], settings: Mapping[str, Any]) -> bool:
    costs = [settings["costs"].get(name, 0.0) for name in panel["action_names"]]
    return sum(cost <= min(costs) + settings["epsilon"] + 1e-9 for cost in costs) == 1
