"""What changes when one thing is read otherwise: more draws, a tolerance, a cost, the other score; all paired."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from analysis.readout.best_sets import Rule
from analysis.readout.document import known, metrics_of, pair
from analysis.readout.measures import METRICS, measured
from analysis.readout.policies import Policy
from analysis.readout.readout import Readout

#: Tolerances of Table 4, in units of the score that selects.
EPSILONS = (0.0, 0.02, 0.05, 0.1)
#: Penalties of Table 46, by action.
COSTS = {"retry": 0.05, "verify": 0.05, "replace": 0.10}

_TOLERANCE = ("agreement", "common_action", "jaccard", "mean_size", "held_out_success", "held_out_score")


def changes(found: Readout) -> list[dict[str, Any]]:
    """Every metric at the largest k minus the smallest one, with paired intervals. Empty for one k."""
    first, last = found.measures[0], found.measures[-1]
    if first.k == last.k:
        return []
    differences = last.values - first.values
    return [
        {"metric": name, "from": first.k, "to": last.k, "value": float(differences[:, place].mean()),
         "interval": pair(found.interval(differences[:, place]))}
        for place, name in enumerate(METRICS)
    ]  # fmt: skip


def tolerance(found: Readout, epsilons: Sequence[float] = EPSILONS) -> list[dict[str, Any]]:
    """Sets of all actions within epsilon of the best one."""
    return [
        {"epsilon": epsilon, "k": one.k} | metrics_of(one, _TOLERANCE)
        for epsilon in epsilons
        for one in (
            measured(found.panel, k, found.settings.design, Rule(epsilon, found.settings.rule.costs))
            for k in found.settings.sizes(found.panel)
        )
    ]  # fmt: skip


def variants(found: Readout, panel_scores: Sequence[str], costs: Mapping[str, float]) -> list[dict[str, Any]]:
    """Agreement when the other score selects, and when costs are taken off: rows per score and cost.

    Args:
        panel_scores: ``select``, and ``evaluate`` where it differs.
        costs: of actions; those that the panel has not are left out.
    """
    held = {name: cost for name, cost in costs.items() if name in found.panel.actions}
    rows = []
    for score in panel_scores:
        panel = found.panel.selecting_by(score)
        for adjusted in (False, True) if held else (False,):
            rule = Rule(found.settings.rule.epsilon, held) if adjusted else Rule(found.settings.rule.epsilon)
            read = [measured(panel, k, found.settings.design, rule) for k in found.settings.sizes(panel)]
            change = read[-1].column("agreement") - read[0].column("agreement")
            rows.append({
                "score": score, "costs": held if adjusted else {},
                "k": {str(one.k): metrics_of(one, _TOLERANCE) for one in read},
                "change": float(change.mean()), "change_interval": pair(found.interval(change)),
            })  # fmt: skip
    return rows


def policy_rows(found: Readout, policies: Sequence[Policy], against: str | None = None) -> list[dict[str, Any]]:
    """Success and cost of every policy, and its difference from one of them (the last ``always verify``, or the first
    fixed action), paired by checkpoint."""
    names = [one.name for one in policies]
    fixed = [name for name in names if name.startswith("always ")]
    reference = against or ("always verify" if "always verify" in names else fixed[0])
    base = policies[names.index(reference)]
    return [
        {
            "policy": one.name, "episodes": one.episodes, "calls": one.calls, "cost_usd": one.cost_usd,
            "success": known(float(one.success.mean()), "held_out_success"),
            "interval": pair(found.interval(one.success), "held_out_success"),
            "against": reference, "difference": float((one.success - base.success).mean()),
            "difference_interval": pair(found.interval(one.success - base.success)),
        }
        for one in policies
    ]  # fmt: skip
