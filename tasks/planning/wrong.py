"""Wrong plans, each of which breaks exactly one named rule: what a verifier must reject."""

from __future__ import annotations

from tasks.planning.instance import Instance, Plan
from tasks.planning.optimum import optimum


def wrong_plans(instance: Instance) -> dict[str, Plan]:
    """Wrong plans by the rule that they break: ``budget``, ``requirement``, ``conflict``, ``optimal`` (feasible, too
    little benefit). A rule for which no such plan is found is left out."""
    made = {
        "budget": _over_budget(instance), "requirement": _broken_requirement(instance),
        "conflict": _conflicting(instance), "optimal": without_a_leaf(instance, optimum(instance).plan),
    }  # fmt: skip
    return {rule: plan for rule, plan in made.items() if plan is not None}


def without_a_leaf(instance: Instance, plan: Plan) -> Plan | None:
    """A feasible plan without one item that no other chosen one requires; None for the empty plan."""
    for name in sorted(plan):
        if not any(name in instance.needs[other] for other in plan):
            return plan - {name}
    return None


def _over_budget(instance: Instance) -> Plan | None:
    """The best plan and more, as long as nothing but the budget is broken."""
    plan = optimum(instance).plan
    for name in instance.by_name:
        larger = plan | {name} | instance.needs[name]
        if not set(instance.broken(larger)) - {"budget"}:
            plan = larger
        if instance.broken(plan):
            return plan
    return None


def _broken_requirement(instance: Instance) -> Plan | None:
    """The best plan without something that one of its items requires; else one item without what it requires."""
    best = optimum(instance).plan
    candidates = [best - {needed} for item, needed in sorted(instance.requires) if item in best]
    candidates += [frozenset({item}) for item, _ in sorted(instance.requires)]
    return next((plan for plan in candidates if set(instance.broken(plan)) == {"requirement"}), None)


def _conflicting(instance: Instance) -> Plan | None:
    """Two items that exclude each other, with all that they require."""
    for pair in sorted(instance.conflicts):
        plan = frozenset(pair).union(*(instance.needs[name] for name in pair))
        if set(instance.broken(plan)) == {"conflict"}:
            return plan
    return None
