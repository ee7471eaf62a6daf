"""The plan that a hurried planner makes: the best ratio first."""

from __future__ import annotations

from collections.abc import Iterable

from tasks.planning.instance import Instance, Plan


def greedy_plan(instance: Instance) -> Plan:
    """Takes items by benefit per cost, best first (then by name)."""
    items = sorted(instance.by_name.values(), key=lambda item: (-item.benefit / item.cost, item.name))
    return filled(instance, [item.name for item in items])


def filled(instance: Instance, order: Iterable[str]) -> Plan:
    """A feasible plan: takes items in ``order``, each with all that it requires, wherever the plan stays feasible."""
    plan: Plan = frozenset()
    for name in order:
        larger = plan | {name} | instance.needs[name]
        if not instance.broken(larger):
            plan = larger
    return plan
