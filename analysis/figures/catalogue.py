"""All figures of a report's document, in the order in which the page shows them."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any

from analysis.figures.checkpoints import checkpoints
from analysis.figures.curves import curves
from analysis.figures.endings import endings
from analysis.figures.forest import MOST, forest, shown_time
from analysis.figures.frontier import frontier
from analysis.figures.interventions import interventions
from analysis.figures.monitors import monitors
from analysis.figures.overview import overview
from analysis.figures.reuse import reuse
from analysis.figures.style import LINES, Drawing

#: Figures of one kind and stage; what does not fit is in the tables.
_PARTS = 3


def figures_of(document: Mapping[str, Any]) -> dict[str, list[Drawing]]:
    """Drawings by the part of the page that shows them: overview, endings, completion STAGE, interventions, reuse,
    checkpoints, monitors, audit, frontier."""
    found: dict[str, list[Drawing]] = {
        "overview": [overview(document)] if document["cohorts"] else [], "endings": [], "audit": [],
        "frontier": [frontier(_families(document))],
    }  # fmt: skip
    for part, some in _parts(document["cohorts"], MOST):
        found["endings"].append(endings(some, part, "endings" + _suffix(part)))
    for number, stage in enumerate((row["stage"] for row in document["stages"]), 1):
        cohorts = [one for one in document["cohorts"] if one["stage"] == stage]
        drawable = [one for one in cohorts if one["completion"] is not None]
        found[f"completion {stage}"] = [
            curves(stage, some, part, f"completion-{number}-{file_name(stage)}" + _suffix(part))
            for part, some in _parts(drawable, len(LINES))
        ]
    found["interventions"] = [
        interventions(one, f"interventions-{number}-{file_name(one['stage'])}")
        for number, one in enumerate(document["interventions"][:_PARTS], 1)
    ]
    found["reuse"] = [
        reuse(one, f"reuse-{number}-{file_name(one['stage'])}")
        for number, one in enumerate(document["reuse"][:_PARTS], 1)
    ]
    found["checkpoints"] = [
        checkpoints(one, some, f"checkpoints-{number}-{file_name(one['stage'])}" + _suffix(part), part)
        for number, one in enumerate((one for one in document["checkpoints"] if one["audit"]), 1)
        for part, some in _parts(one["audit"]["decisions"], MOST)
    ]
    found["monitors"] = [
        monitors(one, f"monitors-{number}-{file_name(one['stage'])}")
        for number, one in enumerate([one for one in document["monitors"] if one["success"]][:_PARTS], 1)
    ]
    for number, audit in enumerate(document["audits"], 1):
        if audit["counts"] is None:
            continue
        t = shown_time(audit)
        rows = [row for row in audit["comparisons"] if row["t"] == t and row["live"] and row["n"]]
        for part, some in _parts(rows, MOST):
            found["audit"].append(forest(audit, some, f"advantage-{number}" + _suffix(part), part))
    return found


def file_name(text: str) -> str:
    """A name that is safe in a file's name; stages of an imported table may hold anything."""
    return re.sub(r"[^A-Za-z0-9_-]+", "_", text)[:60] or "_"


def _parts(rows: Sequence[Any], size: int) -> list[tuple[int, Sequence[Any]]]:
    """Numbered parts of at most ``size`` rows, the first few."""
    return [(part + 1, rows[part * size : (part + 1) * size]) for part in range(min(_PARTS, -(-len(rows) // size)))]


def _suffix(part: int) -> str:
    return f"-{part}" if part > 1 else ""


def _families(document: Mapping[str, Any]) -> list[int]:
    """Family sizes of the evidence curves: 1, and those of the audits."""
    return sorted({1, *sorted({audit["family"] for audit in document["audits"]}, reverse=True)[:3]})
