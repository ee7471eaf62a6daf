"""Small planning instances for tests: a hypothesis strategy, known ones, and the optimum by trying every plan."""

from __future__ import annotations

from itertools import combinations

from hypothesis import strategies as st

from tasks.planning.instance import Instance, Item, Plan

#: The best plans are {A, C} and {B, D}, with a benefit of 9 each.
KNOWN = Instance(
    items=(Item("A", 3, 4), Item("B", 4, 6), Item("C", 3, 5), Item("D", 2, 3)),
    budget=6,
    requires=frozenset({("C", "A")}),
    conflicts=frozenset({("A", "B")}),
)


@st.composite
def instances(draw: st.DrawFn, most: int = 7) -> Instance:
    """Any instance of a few items; requirements go from later to earlier ones, so that they make no circle."""
    count = draw(st.integers(1, most))
    names = [f"P{number:02d}" for number in range(1, count + 1)]
    items = tuple(Item(name, draw(st.integers(1, 9)), draw(st.integers(1, 9))) for name in names)
    pairs = st.sampled_from(list(combinations(names, 2))) if count > 1 else st.nothing()
    requires = draw(st.sets(pairs, max_size=4)) if count > 1 else set()
    conflicts = draw(st.sets(pairs, max_size=4)) if count > 1 else set()
    budget = draw(st.integers(1, sum(item.cost for item in items)))
    return Instance(items, budget, frozenset((b, a) for a, b in requires), frozenset(conflicts))


def plans(instance: Instance) -> list[Plan]:
    """Every set of items."""
    names = list(instance.by_name)
    return [frozenset(one) for size in range(len(names) + 1) for one in combinations(names, size)]


def feasible(instance: Instance, plan: Plan) -> bool:
    """The rules, written down once more."""
    cost = {item.name: item.cost for item in instance.items}
    within = sum(cost[name] for name in plan) <= instance.budget
    complete = all(needed in plan for item, needed in instance.requires if item in plan)
    apart = all(not (first in plan and second in plan) for first, second in instance.conflicts)
    return within and complete and apart


def best_by_trying(instance: Instance) -> tuple[int, set[Plan]]:
    """The highest benefit of a feasible plan, and all plans that have it."""
    gain = {item.name: item.benefit for item in instance.items}
    worth = {plan: sum(gain[name] for name in plan) for plan in plans(instance) if feasible(instance, plan)}
    best = max(worth.values())
    return best, {plan for plan, value in worth.items() if value == best}
