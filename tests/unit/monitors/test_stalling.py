"""Attempts that get stuck: the scripted agent does what its law says, and a law without it is as it was."""

from __future__ import annotations

import pytest

from harness.models.law import CompletionLaw, event_distribution
from harness.models.plan import plan, planned_event
from harness.models.stating import BLUR, stated_chance

LAW = CompletionLaw.model_validate({
    "hazard": [{"from": 1, "value": 0.0}, {"from": 3, "value": 0.2}], "malformed": 0.1,
    "malformed_after_malformed": 0.3, "submit": 0.02, "destroy": 0.1, "stall": 0.1,
})  # fmt: skip


def test_plans_agree_with_the_exact_distribution() -> None:
    n, horizon = 4000, 12
    exact = event_distribution(LAW, 1.0, horizon)
    ends = [planned_event(plan(seed, LAW, 1.0, horizon)) for seed in range(n)]
    for event, chance in (
        ("verified", sum(exact.verified)), ("censored", exact.censored),
        ("terminal", sum(sum(one) for one in exact.terminal.values())),
    ):  # fmt: skip
        found = sum(end.event == event for end in ends) / n
        assert abs(found - chance) < 4 * (chance * (1 - chance) / n) ** 0.5 + 1e-9
    assert sum(exact.verified) + exact.censored + sum(sum(v) for v in exact.terminal.values()) == pytest.approx(1)


def test_nothing_completes_a_stuck_attempt() -> None:
    for seed in range(200):
        kinds = plan(seed, LAW, 1.0, 30)
        if "repeat" in kinds:
            later = set(kinds[kinds.index("repeat") :])
            assert later <= {"repeat", "malformed", "submit"}


def test_a_law_that_never_stalls_draws_as_before() -> None:
    never = LAW.overridden({"stall": 0.0})
    assert event_distribution(never, 1.0, 9) == event_distribution(LAW.overridden({"stall": None}), 1.0, 9)
    assert "repeat" not in plan(3, LAW.overridden({"stall": None}), 1.0, 500)


def test_statements_are_the_laws_answer_blurred() -> None:
    for seed in range(50):
        assert stated_chance(LAW, 1.0, 4, 10, True, seed) <= BLUR
        assert abs(stated_chance(LAW, 1.0, 4, 10, False, seed) - (1 - 0.8**6)) <= BLUR + 1e-12
    assert stated_chance(LAW, 1.0, 4, 10, False, 1) == stated_chance(LAW, 1.0, 4, 10, False, 1)
