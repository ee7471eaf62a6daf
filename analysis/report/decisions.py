"""Audits of a study: stages with the same plan make up one family of comparisons, as ``restartlab audit`` has it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from analysis.arms import pool_of
from analysis.audit import ABSTAIN, NOT_REACHED, Audit, audit
from analysis.audit_document import audit_document
from analysis.cells import Cell
from analysis.errors import AnalysisError
from analysis.opportunity import opportunities
from analysis.power import Effect, attempts_needed
from analysis.report.cohorts import Counted
from analysis.report.policies import refusal
from analysis.report.study import EFFECT, Plan

DECISIONS = ("restart", "continue", ABSTAIN, NOT_REACHED)

#: Largest n that is tried for 80 % power.
_MOST = 300


def audits(cohorts: Sequence[Counted], plans: dict[str, Plan]) -> list[dict[str, Any]]:
    """One audit per family.

    Cells that were not observed through the budget are refused, and count in the family all the same; the others keep
    the family's error whatever those would have said. So do tasks whose every try was lost.
    """
    families: dict[tuple[Any, ...], list[str]] = {}
    for stage, plan in plans.items():
        families.setdefault(plan.audit_key, []).append(stage)
    found = []
    for stages in families.values():
        mine = [one for one in cohorts if one.cohort.stage in stages]
        if any(one.cells for one in mine):
            found.append(_audit(mine, stages, [plans[stage] for stage in stages]))
    return found


def _audit(cohorts: Sequence[Counted], stages: list[str], plans: list[Plan]) -> dict[str, Any]:
    plan = plans[0]
    every = [cell for one in cohorts for cell in one.cells]
    refused = [(cell, why) for cell in every if (why := _refused(cell, plan.budget))]
    out = {cell.key for cell, _ in refused}
    document: dict[str, Any] = {
        "stages": stages, "budget": plan.budget, "times": list(plan.times), "alpha": plan.alpha, "method": plan.method,
        "family": sum(one.tasks for one in cohorts) * len(plan.times), "plan": plan.kind, "refused": None,
        "refused_cells": [cell.key._asdict() | why for cell, why in refused], "sampling": None,
        "attainable_n": None, "powered": None, "counts": None, "comparisons": [], "summary": [],
    }  # fmt: skip
    cells = [cell for cell in every if cell.key not in out]
    if not cells:
        return document | {"refused": "no task was observed through the budget in all of its attempts"}
    try:
        made = audit(
            cells, budget=plan.budget, times=plan.times, alpha=plan.alpha, method_name=plan.method,
            family=document["family"], plans=[one.stated for one in plans],
        )  # fmt: skip
    except AnalysisError as error:
        return document | refusal(error)
    whole = [one for one in cohorts if one.cells and not any(cell.key in out for cell in one.cells)]
    return document | {
        "plan": plan.kind if plan.kind == "exploratory" else made.plan,
        "sampling": made.sampling,
        "attainable_n": made.attainable_n,
        "powered": powered(made),
        "counts": {name: made.count(name) for name in DECISIONS},
        "comparisons": audit_document(made, [])["comparisons"],
        "summary": [
            dict(row.cohort._asdict()) | {name: getattr(row, name) for name in row._fields if name != "cohort"}
            for row in opportunities([cell for one in whole for cell in one.cells], plan.budget, plan.times)
        ],
    }


def powered(made: Audit) -> dict[str, Any]:
    """n an arm with 80 % power at the stated effect, two independent arms; null above ``most``."""
    p, q = EFFECT
    n = attempts_needed(made.method, Effect(p, q), alpha=made.alpha, family=made.family, most=_MOST)
    return {"p": p, "q": q, "power": 0.8, "n": n, "most": _MOST}


def _refused(cell: Cell, budget: int) -> dict[str, Any] | None:
    try:
        pool_of([cell], budget)
    except AnalysisError as error:
        return refusal(error)
    return None
