"""Arms that intervene, beside their baseline: how often, what it changed in the endings, at which cost."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from analysis.cells import VERIFIED
from analysis.expansion import ArmFacts, cost_increase, expand
from analysis.intervals import newcombe, wilson_limits_difference
from analysis.report.cohorts import Counted, outcomes, spending
from analysis.report.study import StageInfo

#: Error of the intervals that are given beside the bootstrap's.
_ERROR = 0.05


def interventions(info: StageInfo, cohorts: Sequence[Counted]) -> list[dict[str, Any]]:
    """Per runtime of a stage whose protocol has an arm that acts: its arms, each acting one against the baseline."""
    declared = {arm["name"]: arm for arm in info.protocol.get("arms") or ()}
    if not any(arm.get("action") for arm in declared.values()):
        return []
    found = []
    for name in sorted({(one.cohort.runtime, one.cohort.origin, one.cohort.digest) for one in cohorts}):
        mine = [one for one in cohorts if (one.cohort.runtime, one.cohort.origin, one.cohort.digest) == name]
        found.append(_of_runtime(info, declared, {one.cohort.arm: one for one in mine}))
    return found


def _of_runtime(
    info: StageInfo, declared: Mapping[str, Mapping[str, Any]], cohorts: Mapping[str, Counted]
) -> dict[str, Any]:
    arms = {name: _arm(info, declared.get(name) or {}, one) for name, one in cohorts.items()}
    control = next((name for name in arms if not (declared.get(name) or {}).get("action")), None)
    some = next(iter(cohorts.values()))
    rule = ((info.protocol.get("analysis") or {}).get("expansion")) or None
    return {
        **{key: value for key, value in some.name.items() if key != "arm"},
        "baseline": control,
        "arms": list(arms.values()),
        "contrasts": [
            _contrast(arms[control], arm) for name, arm in arms.items() if control is not None and name != control
        ],
        "expansion": _expansion(rule, cohorts, arms, _is_complete(info, some.cohort.runtime, arms)) if rule else None,
    }


def _arm(info: StageInfo, declared: Mapping[str, Any], one: Counted) -> dict[str, Any]:
    totals, spent = outcomes(one.rows), spending(one.rows)
    return {
        "arm": one.cohort.arm,
        "action": declared.get("action"),
        "trigger": declared.get("trigger"),
        **{name: totals[name] for name in ("attempts", "verified", "terminal", "censored", "reasons")},
        "cost_usd": _known(spent["cost_usd"], totals["attempts"]),
        "wall_s": _known(spent["wall_s"], totals["attempts"]),
        "calls": spent["calls_per_attempt"],
        **_applied(info, one),
    }


def _applied(info: StageInfo, one: Counted) -> dict[str, int | None]:
    """Counted attempts in which the action was applied, how often in all, and those verified afterwards."""
    if info.interventions is None:
        return {"intervened": None, "applications": None, "recovered": None}
    mine = [row for row in info.interventions
            if (row["runtime"], row["arm"]) == (one.cohort.runtime, one.cohort.arm)]  # fmt: skip
    first: dict[tuple[str, int], int] = {}
    for row in mine:
        key = str(row["task"]), int(row["repeat"])
        first[key] = min(first.get(key, row["call"]), row["call"])
    recovered = 0
    for cell in one.cells:
        assert cell.repeat is not None
        for event, call, repeat in zip(cell.event, cell.call, cell.repeat, strict=True):
            at = first.get((cell.key.task, int(repeat)))
            recovered += int(event == VERIFIED and at is not None and at < call)
    return {"intervened": len(first), "applications": len(mine), "recovered": recovered}


def _contrast(control: Mapping[str, Any], arm: Mapping[str, Any]) -> dict[str, Any]:
    counts = (arm["verified"], arm["attempts"], control["verified"], control["attempts"])
    ends = {
        "newcombe": newcombe(*counts, _ERROR),
        "wilson_limits_difference": wilson_limits_difference(*counts, _ERROR),
    }
    return {
        "arm": arm["arm"],
        "against": control["arm"],
        "cost_increase": cost_increase(control["cost_usd"], arm["cost_usd"]),
        "wall_increase": cost_increase(control["wall_s"], arm["wall_s"]),
        "calls_increase": cost_increase(control["calls"], arm["calls"]),
        **{name: [float(low), float(high)] for name, (low, high) in ends.items()},
    }


def _expansion(
    rule: Mapping[str, Any], cohorts: Mapping[str, Counted], arms: Mapping[str, Mapping[str, Any]], complete: bool
) -> dict[str, Any] | None:
    names = rule["baseline"], rule["treatment"]
    if any(name not in cohorts for name in names):
        return None
    baseline, treatment = (
        ArmFacts(cohorts[name].cells, arms[name]["cost_usd"], arms[name]["recovered"]) for name in names
    )
    found = expand(rule, baseline, treatment)
    # A frozen rule is of the whole stage: what a part of it shows decides nothing.
    return found | {"complete": complete, "answer": found["answer"] if complete else "undecided"}


def _is_complete(info: StageInfo, runtime: str, arms: Mapping[str, Mapping[str, Any]]) -> bool:
    """Whether every planned attempt was counted; taken for granted where nobody knows what was planned."""
    return info.planned.get(runtime) in (None, sum(arm["attempts"] for arm in arms.values()))


def _known(amounts: Mapping[str, Any], attempts: int) -> float | None:
    """The mean over counted attempts; None unless it is known of each of them."""
    return amounts["mean_of_known_attempts"] if amounts["known_attempts"] == attempts else None
