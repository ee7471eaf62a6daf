"""The best feasible plan, by mixed-integer programming (HiGHS), accepted only where the solver's bound proves it."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache

from harness.errors import InfrastructureError
from tasks.planning.instance import Instance, Plan
from tasks.planning.quiet import no_stdout

#: Float noise of the solver that counts as none; benefits are whole numbers.
_NOISE = 1e-6


@dataclass(frozen=True)
class Optimum:
    """A plan of the highest benefit that a feasible one can have, and that benefit."""

    plan: Plan
    benefit: int


@lru_cache(maxsize=256)
def optimum(instance: Instance) -> Optimum:
    """The best feasible plan; the same one whatever the order of the items (the empty plan where nothing else fits).

    Raises:
        InfrastructureError: the solver did not prove its answer.
    """
    return _solve(instance, ())


def optimal_plans(instance: Instance, most: int) -> Iterator[Plan]:
    """At most ``most`` different plans of the highest benefit, the one of ``optimum`` first."""
    best = optimum(instance)
    found: list[Plan] = []
    while len(found) < most:
        one = best if not found else _solve(instance, found)
        if one.benefit < best.benefit:
            return
        found.append(one.plan)
        yield one.plan


def _solve(instance: Instance, without: Sequence[Plan]) -> Optimum:
    """Maximises x · benefit over x in {0, 1}^n; rows: the budget, item - needed <= 0, a + b <= 1, one cut a plan."""
    import numpy as np
    from scipy.optimize import Bounds, LinearConstraint, milp

    names = list(instance.by_name)
    place = {name: number for number, name in enumerate(names)}
    items = instance.by_name.values()
    rows: list[dict[str, float]] = [{item.name: float(item.cost) for item in items}]
    upper = [float(instance.budget)]
    for item, needed in sorted(instance.requires):
        rows.append({item: 1.0, needed: -1.0})
        upper.append(0.0)
    for first, second in sorted(instance.conflicts):
        rows.append({first: 1.0, second: 1.0})
        upper.append(1.0)
    for plan in without:  # at least one item differs
        rows.append({name: 1.0 if name in plan else -1.0 for name in names})
        upper.append(len(plan) - 1.0)
    matrix = np.zeros((len(rows), len(names)))
    for number, row in enumerate(rows):
        for name, value in row.items():
            matrix[number, place[name]] = value
    with no_stdout():
        result = milp(
            [-item.benefit for item in items], integrality=np.ones(len(names)), bounds=Bounds(0, 1),
            constraints=LinearConstraint(matrix, ub=upper), options={"mip_rel_gap": 0.0},
        )  # fmt: skip
    if result.x is None:
        if without and result.status == 2:  # no other feasible plan at all
            return Optimum(without[0], -1)
        raise InfrastructureError(f"the planning solver found nothing: {result.message}")
    plan = frozenset(name for name, x in zip(names, result.x, strict=True) if x > 0.5)
    benefit, bound = instance.benefit(plan), math.floor(-result.mip_dual_bound + _NOISE)
    if instance.broken(plan) or benefit != bound:
        raise InfrastructureError(f"the planning solver did not prove its answer (benefit {benefit}, bound {bound})")
    return Optimum(plan, benefit)
