"""Everything about panels as plain JSON values: what the report page of a readout is made from."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

from analysis.errors import AnalysisError
from analysis.readout.best_sets import best_sets, named
from analysis.readout.binding import bound, collisions
from analysis.readout.certified import certificates
from analysis.readout.comparisons import COSTS, EPSILONS, changes, policy_rows, tolerance, variants
from analysis.readout.document import known, metrics_of, pair, provenance_document, readout_document
from analysis.readout.panel import Panel
from analysis.readout.policies import agreement_guided, outcome_mean_direct, policies
from analysis.readout.provenance import sensitivities
from analysis.readout.readout import Readout, Settings, readout

SCHEMA = 1


def details_document(
    panels: Sequence[Panel],
    settings: Settings,
    *,
    sources: Sequence[Mapping[str, Any]] = (),
    software: Mapping[str, str] | None = None,
    epsilons: Sequence[float] = EPSILONS,
    costs: Mapping[str, float] = COSTS,
    reference: Panel | None = None,
    scope: str | None = None,
) -> dict[str, Any]:
    """The readouts of several panels, never pooled; docs/readout.md describes its parts.

    Raises:
        InputError: the settings do not fit a panel.
    """
    read = [readout(panel, settings) for panel in panels]
    return {
        "schema": SCHEMA,
        "title": ", ".join(panel.name for panel in panels),
        "origins": sorted({panel.origin for panel in panels}),
        "settings": {
            "design": settings.design, "score": settings.score, "epsilon": settings.rule.epsilon,
            "costs": dict(settings.rule.costs), "resample": settings.unit, "replicates": settings.replicates,
            "seed": settings.seed, "exact": settings.exact,
        },
        "panels": [_panel(one, epsilons, costs, reference, scope) for one in read],
        "across": across(read),
        "sources": [dict(source) for source in sources],
        "software": dict(software or {}),
    }  # fmt: skip


def _panel(
    found: Readout, epsilons: Sequence[float], costs: Mapping[str, float], reference: Panel | None, scope: str | None
) -> dict[str, Any]:
    panel, settings = found.panel, found.settings
    scores = ("select", "evaluate") if panel.two_scores else ("select",)
    return {
        "stage": panel.stage, "runtime": panel.runtime, "name": panel.name, "origin": panel.origin,
        "action_names": list(panel.actions), "repeat_numbers": list(panel.repeats),
        "strata": None if panel.strata is None else dict(sorted(Counter(panel.strata).items())),
        **readout_document(found),
        "pooled_interval": pair(found.pooled_interval, "held_out_success"),
        "rows": _rows(found),
        "changes": changes(found),
        "policies": policy_rows(found, policies(panel, found.measures, settings.design)),
        "tolerance": tolerance(found, epsilons),
        "variants": variants(found, scores, costs),
        "binding": bound(found, reference, scope),
        "collisions": collisions(found),
        "certificates": certificates(panel),
        "sensitivity": [
            {"without": list(one.without), "episodes": one.episodes, "pooled_success": one.pooled_success,
             "k": {str(part.k): metrics_of(part) | {"checkpoints": count}
                   for part, count in zip(one.measures, one.checkpoints, strict=True)}}
            for one in sensitivities(panel, settings.sizes(panel), settings.design, settings.rule)
        ],
    }  # fmt: skip


def _rows(found: Readout) -> list[dict[str, Any]]:
    """What each checkpoint says."""
    panel = found.panel
    penalties, epsilon = found.settings.rule.penalties(panel.actions), found.settings.rule.epsilon
    whole = best_sets(panel.select.sum(axis=2)[:, :, None], panel.shape[2], penalties, epsilon)[:, 0]
    names = ("agreement", "all_zero", "held_out_success", "mean_size")
    return [
        {
            "checkpoint": name, "task": panel.tasks[c] if panel.tasks else None,
            "stratum": panel.strata[c] if panel.strata else None,
            "successes": panel.evaluate[c].sum(axis=1).tolist(), "best_set": named(int(whole[c]), panel.actions),
            "pooled_success": float(panel.evaluate[c].mean()),
            "k": {str(one.k): {metric: known(float(one.column(metric)[c]), metric) for metric in names}
                  for one in found.measures},
        }
        for c, name in enumerate(panel.checkpoints)
    ]  # fmt: skip


def across(read: Sequence[Readout]) -> dict[str, Any] | None:
    """Choosing between runtimes on the same checkpoints; None for one runtime, or where they differ."""
    if len(read) < 2:
        return None
    panels = [one.panel for one in read]
    first = read[0]
    half = panels[0].shape[2] // 2
    try:
        rules = [
            *((f"agreement-guided, k={k}", agreement_guided(panels, k, first.settings.rule))
              for k in first.settings.sizes(panels[0]) if 2 * k <= half),
            ("outcome-mean direct", outcome_mean_direct(panels)),
        ]  # fmt: skip
    except AnalysisError as error:
        return {"refused": str(error).split("\n")[0], "policies": [], "provenance": None}
    rows = [
        {"policy": name, "success": float(values.mean()), "interval": pair(first.interval(values), "held_out_success")}
        for name, values in rules
    ]
    return {"refused": None, "policies": rows, "provenance": provenance_document(panels)}
