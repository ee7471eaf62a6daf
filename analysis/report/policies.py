"""Completion and replay of one cohort, as far as its attempts were observed; what is not identified is said."""

from __future__ import annotations

from typing import Any

import numpy as np

from analysis.completion_document import completion_document
from analysis.contrasts import arm_contrast, policy_intervals
from analysis.errors import AnalysisError, NotIdentified
from analysis.laws import identified_through
from analysis.replay import replay
from analysis.replay_document import ReplayPlan, contrast_values, replay_document
from analysis.report.cohorts import Counted
from analysis.report.study import Choices, Plan
from analysis.schedules import fixed, single


def refusal(error: AnalysisError) -> dict[str, Any]:
    """An error as a result: what is not known, why, and what is."""
    return {
        "refused": getattr(error, "what", str(error)),
        "known": {name: _plain(value) for name, value in getattr(error, "known", {}).items()},
        "mend": getattr(error, "mend", None),
    }


def completion(counted: Counted, plan: Plan, choices: Choices) -> dict[str, Any]:
    """Curves of F with bands as far as they are identified, at most to the budget.

    Where attempts were cut off before the budget, ``beyond`` holds the refusal and the Aalen-Johansen estimate.
    """
    seen = min(identified_through(cell) for cell in counted.cells)
    through = min(plan.budget, seen)
    group = [counted.group]
    found = completion_document(group, through=through, replicates=choices.replicates, seed=choices.seed)
    document = {
        "method": found["method"], "through": through, "tasks": found["tasks"], "macro": found["macro"][0],
        "beyond": None,
    }  # fmt: skip
    if through < plan.budget:
        document["beyond"] = {
            "refused": f"F past call {through}: not every attempt was observed so far (budget {plan.budget})",
            "known": {"identified_through": through},
            "mend": "read the Aalen-Johansen estimate, or collect with larger limits",
            "incidence": _incidence(group),
        }
    return document


def policies(counted: Counted, plan: Plan, choices: Choices) -> dict[str, Any]:
    """The replay document of the cutoffs that the data support, bands of their values, and refusals of the others."""
    seen = min(identified_through(cell) for cell in counted.cells)
    supported = [c for c in plan.cutoffs if c <= seen]
    document: dict[str, Any] = {"plan": plan.kind, "budget": plan.budget, "single": None, "refused": []}
    for cutoff in (c for c in plan.cutoffs if c > seen):
        document["refused"].append({"cutoff": cutoff, **_why(counted, plan, cutoff)})
    try:
        document["single"] = float(replay(counted.cells, [single()], plan.budget).mean())
    except NotIdentified as error:
        document["refused"].append({"cutoff": None, **refusal(error)})
    if not supported:
        return document
    schedules = tuple(fixed(cutoff) for cutoff in supported)
    how = {"replicates": choices.replicates, "seed": choices.seed}
    found = replay_document(
        [counted.group], ReplayPlan(plan.budget, schedules, release=True, against=schedules[-1], **how)
    )
    bands = policy_intervals(counted.cells, schedules, plan.budget, **how)
    document |= {
        "schedule": found["schedule"],
        "release": found["release"],
        "tasks": found["tasks"],
        "macro": [
            {"cutoff": cutoff, "value": row["value"], "interval": [band.low, band.high],
             "ends": "exact" if band.seed is None else "monte carlo"}
            for cutoff, row, band in zip(supported, found["macro"], bands, strict=True)
        ],
        "best": found["best"][0],
        "leave_one_task_out": next(iter(found["leave_one_task_out"]), None),
        "contrasts": found["contrasts"],
    }  # fmt: skip
    return document


def arm_contrasts(cohorts: list[Counted], plan: Plan, choices: Choices) -> list[dict[str, Any]]:
    """Each arm of a stage minus its baseline arm, one attempt of the whole budget, within a runtime.

    The baseline is the arm of that name, else the first one.
    """
    found = []
    for runtime in sorted({one.cohort.runtime for one in cohorts}):
        mine = sorted((one for one in cohorts if one.cohort.runtime == runtime), key=lambda one: one.cohort)
        control = next((one for one in mine if one.cohort.arm == "baseline"), mine[0])
        for one in mine:
            if one is control:
                continue
            row: dict[str, Any] = one.name | {"against": control.name, "budget": plan.budget}
            try:
                contrast = arm_contrast(
                    one.cells, control.cells, single(), plan.budget, replicates=choices.replicates, seed=choices.seed
                )
                row |= contrast_values(contrast)
            except AnalysisError as error:
                row |= refusal(error)
            found.append(row)
    return found


def _why(counted: Counted, plan: Plan, cutoff: int) -> dict[str, Any]:
    """Why a cutoff is not replayed, with bounds of the macro value where the first refusal gives them."""
    try:
        replay(counted.cells, [fixed(cutoff)], plan.budget)
    except NotIdentified as error:
        return refusal(error)
    raise AssertionError(f"cutoff {cutoff} is supported")


def _incidence(group: list[Any]) -> dict[str, Any]:
    found = completion_document(group, incidence=True)
    curves = [row["verified"] for row in found["tasks"]]
    return {
        "method": found["method"],
        "calls": found["tasks"][0]["calls"],
        "macro": np.mean(curves, axis=0).tolist(),
        "tasks": [{"task": row["task"], "verified": row["verified"]} for row in found["tasks"]],
    }


def _plain(value: Any) -> Any:
    return value.item() if isinstance(value, np.generic) else value
