"""A planning problem: items with cost and benefit, a budget, requirements and conflicts; and what a plan breaks."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from harness.canonical import digest_json

#: A plan: the names of the chosen items.
Plan = frozenset[str]

#: What a plan must keep to be feasible, in the order of messages.
RULES = ("budget", "requirement", "conflict")


@dataclass(frozen=True)
class Item:
    """Something that can be chosen; cost and benefit are whole numbers, 1 or more."""

    name: str
    cost: int
    benefit: int


@dataclass(frozen=True)
class Instance:
    """A problem. The order of items and pairs means nothing: two orders have one digest.

    Args:
        items: all items, each name once.
        budget: most that the chosen items may cost together.
        requires: pairs (item, what must be chosen with it); without circles.
        conflicts: pairs that must not be chosen together.

    Raises:
        ValueError: a name unknown or there twice, an amount below 1, a pair of one item, a circle of requirements.
    """

    items: tuple[Item, ...]
    budget: int
    requires: frozenset[tuple[str, str]] = frozenset()
    conflicts: frozenset[tuple[str, str]] = frozenset()

    def __post_init__(self) -> None:
        names = [item.name for item in self.items]
        if len(set(names)) < len(names):
            raise ValueError("an item stands twice")
        if self.budget < 1 or any(item.cost < 1 or item.benefit < 1 for item in self.items):
            raise ValueError("budget, costs and benefits are 1 or more")
        for pair in (*self.requires, *self.conflicts):
            if not set(pair) <= set(names) or pair[0] == pair[1]:
                raise ValueError(f"not a pair of items: {pair}")
        for name in names:
            if name in self.needs[name]:
                raise ValueError(f"{name} requires itself in the end")

    @cached_property
    def by_name(self) -> dict[str, Item]:
        """Items by name, sorted."""
        return {item.name: item for item in sorted(self.items, key=lambda item: item.name)}

    @cached_property
    def needs(self) -> dict[str, Plan]:
        """Per item, all that it requires, directly or through others."""
        direct: dict[str, set[str]] = {name: set() for name in self.by_name}
        for item, needed in self.requires:
            direct[item].add(needed)

        def reach(name: str) -> Plan:
            found: set[str] = set()
            waiting = list(direct[name])
            while waiting:
                if (one := waiting.pop()) not in found:
                    found.add(one)
                    waiting += direct[one]
            return frozenset(found)

        return {name: reach(name) for name in self.by_name}

    def cost(self, plan: Collection[str]) -> int:
        """What the items of a plan cost together."""
        return sum(self.by_name[name].cost for name in set(plan))

    def benefit(self, plan: Collection[str]) -> int:
        """What the items of a plan bring together, feasible or not."""
        return sum(self.by_name[name].benefit for name in set(plan))

    def broken(self, plan: Collection[str]) -> dict[str, str]:
        """The rules that a plan breaks, each with the first reason; empty for a feasible plan."""
        chosen, found = set(plan), {}
        if (cost := self.cost(chosen)) > self.budget:
            found["budget"] = f"costs {cost}, over the budget of {self.budget}"
        lacking = sorted(pair for pair in self.requires if pair[0] in chosen and pair[1] not in chosen)
        if lacking:
            found["requirement"] = f"{lacking[0][0]} requires {lacking[0][1]}"
        clashing = sorted(tuple(sorted(pair)) for pair in self.conflicts if set(pair) <= chosen)
        if clashing:
            found["conflict"] = f"{clashing[0][0]} and {clashing[0][1]} exclude each other"
        return found

    def data(self) -> dict[str, Any]:
        """As JSON data in one order, whatever the order of items and pairs."""
        return {
            "budget": self.budget,
            "items": [[item.name, item.cost, item.benefit] for item in self.by_name.values()],
            "requires": sorted(list(pair) for pair in self.requires),
            "conflicts": sorted(sorted(pair) for pair in self.conflicts),
        }

    @property
    def digest(self) -> str:
        """SHA-256 of the data."""
        return digest_json(self.data())
