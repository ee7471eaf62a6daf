"""The plan: reproducible, blind, and distributed as the law says."""

from __future__ import annotations

import math
from collections import Counter
from itertools import accumulate

import pytest

from harness.models.law import CompletionLaw, event_distribution
from harness.models.plan import Kind, PlannedEvent, plan, planned_event

LAW = CompletionLaw.model_validate({
    "hazard": [{"from": 1, "value": 0.0}, {"from": 4, "value": 0.10}, {"from": 16, "value": 0.03}],
    "malformed": 0.08, "malformed_after_malformed": 0.4, "submit": 0.02, "destroy": 0.05,
})


def test_same_seed_same_plan_and_a_longer_horizon_only_adds():
    assert plan(7, LAW, 1.0, 60) == plan(7, LAW, 1.0, 60)
    assert plan(7, LAW, 1.0, 60)[:20] == plan(7, LAW, 1.0, 20)
    assert plan(7, LAW, 1.0, 60) != plan(8, LAW, 1.0, 60)
    assert plan(2**64 - 1, LAW, 1.0, 60)


def test_the_plan_of_a_seed_is_the_same_on_every_python():
    assert plan(20240607, LAW, 1.0, 12) == GOLDEN


def test_one_seed_under_two_laws_differs_only_where_the_laws_do():
    quiet = LAW.overridden({"submit": 0.0})
    for seed in range(200):
        for a, b in zip(plan(seed, LAW, 1.0, 30), plan(seed, quiet, 1.0, 30), strict=True):
            assert (a in ("malformed", "complete")) == (b in ("malformed", "complete"))


@pytest.mark.parametrize("scale", [1.0, 1.6])
def test_events_follow_the_declared_law(scale):
    """Dvoretzky-Kiefer-Wolfowitz: each of the 3 curves leaves its band with probability <= 1e-6 under the law.

    The seeds are fixed, so the test does not flicker; the rate is that of a wrong alarm over the choice of seeds.
    """
    seeds, horizon = 2000, 30
    exact = event_distribution(LAW, scale, horizon)
    seen = Counter(planned_event(plan(seed, LAW, scale, horizon)) for seed in range(seeds))
    band = math.sqrt(math.log(2 / 1e-6) / (2 * seeds))
    for reason, probabilities in {None: exact.verified, **exact.terminal}.items():
        event = "terminal" if reason else "verified"
        counts = [sum(n for e, n in seen.items() if (e.event, e.call, e.reason) == (event, u, reason)) / seeds
                  for u in range(1, horizon + 1)]
        distance = max(abs(a - b) for a, b in zip(accumulate(counts), accumulate(probabilities), strict=True))
        assert distance < band, reason
    # The band is narrow enough to tell this law from one that is half as fast.
    slow = event_distribution(LAW, 2 * scale, horizon).verified
    assert abs(sum(slow) - sum(exact.verified)) > 2 * band


def test_planned_event_follows_the_agents_rules():
    bad: Kind = "malformed"
    assert planned_event(["explore", "run"]) == PlannedEvent("censored", 2)
    assert planned_event(["explore", "submit", "complete"]) == PlannedEvent("terminal", 2, "Submitted")
    assert planned_event([bad, bad, "run", bad, "complete"]) == PlannedEvent("verified", 5)
    assert planned_event([bad, bad, bad, "complete"]) == PlannedEvent("terminal", 3, "RepeatedFormatError")
    assert planned_event([bad, bad, bad, "complete"], max_format_errors=0) == PlannedEvent("verified", 4)


def test_moves_fit_the_state_they_are_made_in():
    for seed in range(300):
        state = "clean"
        for kind in plan(seed, LAW.overridden({"destroy": 0.2}), 1.0, 40):
            assert kind != "restore" or state == "broken"
            assert kind != "revert" or state == "wrong"
            assert kind != "wrong" or state in ("clean", "wrong")
            moved = {"complete": "right", "wrong": "wrong", "destroy": "broken", "revert": "clean", "restore": "clean"}
            state = moved.get(kind, state)


GOLDEN = [
    "explore", "wrong", "run", "complete", "complete", "run", "explore", "run", "run", "scratch", "run", "complete",
]
