"""Instances: what a plan breaks, what an instance may not be, and that orders mean nothing."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from planning_instances import KNOWN, feasible, instances, plans

from tasks.planning.cohort import load_cohort
from tasks.planning.generate import Size, generate
from tasks.planning.instance import RULES, Instance, Item
from tasks.planning.task import issue_text


@given(instances(most=5))
def test_what_is_broken_is_what_the_rules_say(instance: Instance) -> None:
    for plan in plans(instance):
        broken = instance.broken(plan)
        assert (not broken) == feasible(instance, plan)
        assert set(broken) <= set(RULES)


def test_reasons_name_the_items() -> None:
    assert KNOWN.broken({"A", "B", "C"}) == {
        "budget": "costs 10, over the budget of 6", "conflict": "A and B exclude each other"
    }  # fmt: skip
    assert KNOWN.broken({"C"}) == {"requirement": "C requires A"}
    assert KNOWN.broken(()) == {}


def test_needs_go_through_others() -> None:
    chain = Instance(tuple(Item(n, 1, 1) for n in "abc"), 3, frozenset({("c", "b"), ("b", "a")}))
    assert chain.needs == {"a": set(), "b": {"a"}, "c": {"a", "b"}}


@pytest.mark.parametrize(
    ("items", "budget", "requires", "conflicts"),
    [
        ("aa", 1, (), ()), ("a", 0, (), ()), ("ab", 1, {("a", "x")}, ()), ("ab", 1, (), {("a", "a")}),
        ("ab", 1, {("a", "b"), ("b", "a")}, ()), ("abc", 1, {("a", "b"), ("b", "c"), ("c", "a")}, ()),
    ],
    ids=["twice", "no budget", "unknown", "with itself", "circle of two", "circle of three"],
)  # fmt: skip
def test_what_is_no_instance(items: str, budget: int, requires: object, conflicts: object) -> None:
    with pytest.raises(ValueError):
        Instance(tuple(Item(n, 1, 1) for n in items), budget, frozenset(requires), frozenset(conflicts))  # type: ignore[call-overload]


@given(instances(), st.randoms())
def test_order_means_nothing(instance: Instance, random: object) -> None:
    items = list(instance.items)
    random.shuffle(items)  # type: ignore[attr-defined]
    other = Instance(
        tuple(items), instance.budget, instance.requires, frozenset((b, a) for a, b in instance.conflicts)
    )
    assert other.digest == instance.digest
    assert issue_text(other) == issue_text(instance)
    for plan in plans(instance)[:20]:
        assert other.broken(plan) == instance.broken(plan)


@given(st.integers(1, 10**9))
def test_a_seed_makes_one_instance_without_useless_items(seed: int) -> None:
    cohort = load_cohort()
    assert cohort is not None
    for name, size in cohort.sizes.items():
        instance = generate(name, size, seed)
        assert instance == generate(name, size, seed)
        assert (len(instance.items), len(instance.requires), len(instance.conflicts)) == (
            size.items, size.requirements, size.conflicts
        )  # fmt: skip
        for item in instance.by_name:
            assert not set(instance.broken({item, *instance.needs[item]})) - {"budget"}


def test_sizes_and_seeds_differ() -> None:
    size = Size(items=8, requirements=4, conflicts=3, budget_share=0.5)
    digests = {generate(name, size, seed).digest for name in ("a", "b") for seed in range(20)}
    assert len(digests) == 40


def test_an_impossible_size_is_said() -> None:
    with pytest.raises(ValueError, match="no room for 99 requirements"):
        generate("x", Size(items=4, requirements=99, conflicts=0, budget_share=0.5), 1)


def test_the_first_instance_is_the_one_that_was_frozen() -> None:
    """Another digest would mean that no machine can collect the frozen stage any more."""
    cohort = load_cohort()
    assert cohort is not None
    digest = generate("small", cohort.sizes["small"], 1).digest
    assert digest == "81bef5ef7e3bd1b9c873e645952acbc43b3cd65ee687ff7f3d2da0d6c1676720"
