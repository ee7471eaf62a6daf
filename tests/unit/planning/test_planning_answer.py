"""Answers: what counts as a plan, and what they are worth."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from planning_instances import KNOWN, best_by_trying, feasible, instances, plans

from tasks.planning.answer import MalformedAnswer, read_plan, write_plan
from tasks.planning.instance import Instance
from verifiers.planning import judge_answer

NAMES = ["P01", "P02", "P10"]


@given(st.sets(st.sampled_from(NAMES)), st.text())
def test_a_written_plan_is_read_back_whatever_was_said_before(plan: set[str], before: str) -> None:
    assert read_plan(f"{before}\n{write_plan(plan)}", NAMES) == plan


@pytest.mark.parametrize(
    ("reply", "plan"),
    [
        ("PLAN: P01, P10", {"P01", "P10"}), ("PLAN: none", set()), ("plan: p02", {"P02"}), ("PLAN: None.", set()),
        ("**PLAN:** P01, P02.", {"P01", "P02"}), ("```\nPLAN: P01\n```", {"P01"}), ("> PLAN: P02,P01", {"P01", "P02"}),
        ("PLAN: P01\nNo, rather:\nPLAN: P02\nThat is my answer.", {"P02"}), ("PLAN: `P01`, `P02`", {"P01", "P02"}),
    ],
)  # fmt: skip
def test_what_is_read_as_a_plan(reply: str, plan: set[str]) -> None:
    assert read_plan(reply, NAMES) == plan


@pytest.mark.parametrize(
    ("reply", "why"),
    [
        ("", "no line"), ("I choose P01.", "no line"), ("The PLAN: P01", "no line"), ("PLAN:", "'' is not an item"),
        ("PLAN: P03", "'P03' is not an item"), ("PLAN: P01, P01", "P01 stands twice"), ("PLAN: P01 P02", "is not an"),
        ("PLAN: none, P01", "'none' is not an item"), ("PLAN: P01\nPLAN: the rest", "'the rest' is not an item"),
    ],
)  # fmt: skip
def test_what_is_malformed(reply: str, why: str) -> None:
    with pytest.raises(MalformedAnswer, match=why):
        read_plan(reply, NAMES)


@settings(max_examples=40, deadline=None)
@given(instances(most=5))
def test_scores_are_shares_of_the_optimum_and_one_for_optimal_plans_only(instance: Instance) -> None:
    best, optimal = best_by_trying(instance)
    for plan in plans(instance):
        verdict = judge_answer(instance, write_plan(plan))
        assert 0 <= verdict.public <= 1
        assert verdict.strict == (plan in optimal)
        assert (verdict.public == 1) == verdict.strict
        if not feasible(instance, plan):
            assert (verdict.state, verdict.public) == ("infeasible", 0)
        elif best:
            assert verdict.public == instance.benefit(plan) / best


@settings(max_examples=20, deadline=None)
@given(instances(), st.randoms())
def test_the_order_of_items_changes_no_verdict(instance: Instance, random: object) -> None:
    items = list(instance.items)
    random.shuffle(items)  # type: ignore[attr-defined]
    other = Instance(tuple(items), instance.budget, instance.requires, instance.conflicts)
    for plan in plans(instance)[::5]:
        answer = sorted(plan)
        random.shuffle(answer)  # type: ignore[attr-defined]
        text = f"PLAN: {', '.join(answer) or 'none'}"
        assert judge_answer(other, text) == judge_answer(instance, text)


@given(st.text())
def test_no_reply_breaks_the_verifier(reply: str) -> None:
    assert judge_answer(KNOWN, reply).state in ("malformed", "infeasible", "suboptimal", "optimal")


def test_a_verdict_says_what_is_kept() -> None:
    broken = judge_answer(KNOWN, "PLAN: A, B")
    assert broken.obligations == {"budget": False, "requirement": True, "conflict": False, "optimal": None}
    assert broken.detail == "costs 7, over the budget of 6; A and B exclude each other"
    assert judge_answer(KNOWN, "PLAN: A").data() == {
        "state": "suboptimal", "plan": ["A"], "benefit": 4, "public": 4 / 9, "strict": False,
        "obligations": {"budget": True, "requirement": True, "conflict": True, "optimal": False},
        "detail": "brings 4 of 9",
    }  # fmt: skip
    assert set(judge_answer(KNOWN, "A, I think").obligations.values()) == {None}
    for optimal in ("PLAN: A, C", "PLAN: D, B"):
        assert judge_answer(KNOWN, optimal).strict
