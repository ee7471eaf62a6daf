"""Efficiency of successful trials. What it cost to fail is no part of it, and an unknown cost is not a cost of zero."""

from __future__ import annotations

from fractions import Fraction

from analysis.errors import InputError
from analysis.recovery.records import Attempt, PanelTask
from analysis.recovery.rounding import exact


def descending(amount: float, target: float, maximum: float) -> float:
    """g(x; t, m): 100 up to the target, 0 from the maximum on, a straight line between.

    Raises:
        InputError: the maximum is not above the target.
    """
    return float(_descending(amount, target, maximum))


def _descending(amount: float, target: float, maximum: float) -> Fraction:
    if not maximum > target:
        raise InputError(f"a maximum of {maximum:g} is not above the target of {target:g}", mend="give a larger one")
    x, t, m = exact(amount), exact(target), exact(maximum)
    if x <= t:
        return Fraction(100)
    return Fraction(0) if x >= m else 100 * (m - x) / (m - t)


def efficiency(trial: Attempt, task: PanelTask) -> Fraction:
    """Mean of the scores of cost and runtime of a strict pass, exact.

    Raises:
        InputError: one of the four numbers is missing.
    """
    lacking = missing(trial, task)
    if lacking:
        raise InputError(f"{trial.name}: {lacking[0]}", column=lacking[0].split()[0], mend="supply it")
    assert task.cost and task.runtime and trial.cost_usd is not None and trial.runtime_s is not None
    cost = _descending(trial.cost_usd, task.cost.target, task.cost.maximum)
    return (cost + _descending(trial.runtime_s, task.runtime.target, task.runtime.maximum)) / 2


def missing(trial: Attempt, task: PanelTask) -> list[str]:
    """What a strict pass lacks for its efficiency."""
    found = []
    if trial.cost_usd is None:
        found.append("cost_usd is missing")
    if trial.runtime_s is None:
        found.append("runtime_s is missing")
    if task.cost is None:
        found.append("target of cost_usd is missing")
    if task.runtime is None:
        found.append("target of runtime_s is missing")
    return found
