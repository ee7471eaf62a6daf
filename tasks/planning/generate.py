"""Draws instances from seeds. Only ``random()`` is used: the one draw that Python promises to keep across releases."""

from __future__ import annotations

import hashlib
from random import Random
from typing import Annotated

from pydantic import BaseModel, ConfigDict, Field

from tasks.planning.instance import Instance, Item

#: Draws for one pair before a size is said to be impossible.
_DRAWS = 1000


class Size(BaseModel):
    """How large and how tangled instances are."""

    model_config = ConfigDict(extra="forbid", frozen=True, strict=True)

    items: Annotated[int, Field(ge=4, le=99)]
    """Items to choose from."""
    requirements: Annotated[int, Field(ge=0)]
    """Direct requirements between items."""
    conflicts: Annotated[int, Field(ge=0)]
    """Pairs that exclude each other."""
    budget_share: Annotated[float, Field(gt=0, lt=1)]
    """Budget as a share of what all items cost together."""


def generate(name: str, size: Size, seed: int) -> Instance:
    """The instance of a seed; ``name`` of the size enters the draws.

    Costs are 2 to 12, benefits follow them loosely (cost - 2 to cost + 6). No item is made useless: all that it
    requires can be chosen together with it, but for the budget.

    Raises:
        ValueError: the size asks for more pairs than its items have room for.
    """
    rng = Random(int.from_bytes(hashlib.sha256(f"planning:{name}:{seed}".encode()).digest()[:8]))

    def below(count: int) -> int:
        return int(rng.random() * count)

    def pair() -> tuple[str, str]:
        """Two items; the first one earlier in a hidden order, so that requirements make no circle."""
        first, second = below(size.items), below(size.items - 1)
        return names[min(first, second)], names[max(first, second + 1)]

    shuffled = sorted(range(size.items), key=lambda _: rng.random())
    names = [f"P{number + 1:02d}" for number in shuffled]
    items = []
    for one in names:
        cost = 2 + below(11)
        items.append(Item(one, cost, max(1, cost - 2 + below(9))))
    budget = int(size.budget_share * sum(item.cost for item in items))
    ordered = tuple(sorted(items, key=lambda item: item.name))
    requires: set[tuple[str, str]] = set()
    for _ in range(size.requirements * _DRAWS):
        if len(requires) == size.requirements:
            break
        needed, item = pair()
        requires.add((item, needed))
    needs = Instance(ordered, budget, frozenset(requires)).needs
    conflicts: set[tuple[str, str]] = set()
    for _ in range(size.conflicts * _DRAWS):
        if len(conflicts) == size.conflicts:
            break
        both = set(pair())
        if not any(both <= {one, *needs[one]} for one in names):
            conflicts.add((min(both), max(both)))
    if len(requires) < size.requirements or len(conflicts) < size.conflicts:
        raise ValueError(f"size {name} has no room for {size.requirements} requirements, {size.conflicts} conflicts")
    return Instance(ordered, budget, frozenset(requires), frozenset(conflicts))
