"""Evaluates a frozen rule of expansion: is a follow-up stage worth its cost (section 5.6 of arXiv 2610.36544)?"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from analysis.cells import VERIFIED, Cell


@dataclass(frozen=True)
class ArmFacts:
    """What the rule needs to know of an arm.

    Args:
        cells: the counted attempts of its tasks.
        cost_usd: mean of an attempt, US dollars; None when the cost of one is unknown.
        recovered: attempts verified after an intervention; None when nobody recorded interventions.
    """

    cells: Sequence[Cell]
    cost_usd: float | None
    recovered: int | None = None


def expand(rule: Mapping[str, Any], baseline: ArmFacts, treatment: ArmFacts) -> dict[str, Any]:
    """The rule's answer with the numbers behind it, as JSON.

    Args:
        rule: ``min_gain``, ``min_recovered`` and ``max_cost_increase``, as in a protocol.

    Returns:
        ``answer``: yes, no, or undecided where a number that decides is unknown; ``clauses``: each with its value,
        what it is held against, and whether it is met (null: unknown).
    """
    gain = macro_difference(treatment.cells, baseline.cells)
    increase = cost_increase(baseline.cost_usd, treatment.cost_usd)
    clauses = [
        _clause("gain", "at least", gain, rule["min_gain"]),
        _clause("recovered", "at least", treatment.recovered, rule["min_recovered"]),
        _clause("cost_increase", "at most", increase, rule["max_cost_increase"]),
    ]
    better = _either(clauses[0]["met"], clauses[1]["met"])
    answer = _both(better, clauses[2]["met"])
    words = {True: "yes", False: "no", None: "undecided"}
    return {"rule": dict(rule), "answer": words[answer], "clauses": clauses}


def macro_difference(treated: Sequence[Cell], control: Sequence[Cell]) -> Fraction | None:
    """Mean over tasks of the difference in the fraction of verified attempts; exact, as a rule's edge may be hit.

    None where the arms do not have the same tasks.
    """
    ones, others = ({cell.key.task: _success(cell) for cell in cells} for cells in (treated, control))
    if ones.keys() != others.keys() or not ones:
        return None
    return sum((ones[task] - others[task] for task in ones), Fraction(0)) / len(ones)


def cost_increase(before: float | None, after: float | None) -> float | None:
    """after/before - 1; None where one is unknown or the first is nothing."""
    if before is None or after is None or before <= 0:
        return None
    return after / before - 1


def _success(cell: Cell) -> Fraction:
    return Fraction(int((cell.event == VERIFIED).sum()), cell.n)


def _clause(name: str, sense: str, value: Fraction | float | None, limit: float) -> dict[str, Any]:
    met = None
    if value is not None:
        met = value >= Fraction(str(limit)) if sense == "at least" else Fraction(str(value)) <= Fraction(str(limit))
    shown = float(value) if isinstance(value, Fraction) else value
    return {"name": name, "value": shown, "sense": sense, "limit": limit, "met": met}


def _either(one: bool | None, other: bool | None) -> bool | None:
    return True if one or other else None if None in (one, other) else False


def _both(one: bool | None, other: bool | None) -> bool | None:
    return False if one is False or other is False else None if None in (one, other) else True
