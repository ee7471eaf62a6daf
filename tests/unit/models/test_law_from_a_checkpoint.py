"""An episode that goes on from a checkpoint follows the rest of the law: its plans against its exact distribution."""

from __future__ import annotations

from itertools import islice

import pytest

from harness.models.law import CompletionLaw, event_distribution
from harness.models.plan import moves, planned_event

LAW = CompletionLaw.model_validate({
    "hazard": [{"from": 1, "value": 0.02}, {"from": 5, "value": 0.3}, {"from": 9, "value": 0.05}],
    "malformed": 0.1, "malformed_after_malformed": 0.6, "submit": 0.05, "destroy": 0.05,
})  # fmt: skip
HORIZON, SEEDS = 6, 4000


@pytest.mark.parametrize("first, malformed", [(1, 0), (5, 0), (9, 0), (5, 2)])
def test_plans_are_distributed_as_the_law_says(first: int, malformed: int) -> None:
    exact = event_distribution(LAW, 1.0, HORIZON, first=first, malformed=malformed)
    ends = [
        planned_event([kind for kind, _ in islice(moves(seed, LAW, 1.0, first, malformed), HORIZON)])
        for seed in range(SEEDS)
    ]
    shares = {
        "verified": (sum(exact.verified), sum(end.event == "verified" for end in ends)),
        "terminal": (sum(map(sum, exact.terminal.values())), sum(end.event == "terminal" for end in ends)),
        "first call": (exact.verified[0], sum(end.event == "verified" and end.call == 1 for end in ends)),
    }
    for name, (share, count) in shares.items():
        spread = (SEEDS * share * (1 - share)) ** 0.5
        assert abs(count - SEEDS * share) < 4 * spread + 1, name


def test_the_distribution_sums_to_one_and_conditions_on_being_live() -> None:
    whole, rest = event_distribution(LAW, 1.0, 10), event_distribution(LAW, 1.0, 6, first=5)
    for exact in (whole, rest):
        assert sum(exact.verified) + sum(map(sum, exact.terminal.values())) + exact.censored == pytest.approx(1)
    plain = LAW.overridden({"malformed": 0.0, "malformed_after_malformed": 0.0})
    whole, rest = event_distribution(plain, 1.0, 10), event_distribution(plain, 1.0, 6, first=5)
    live = 1 - sum(whole.verified[:4]) - sum(sum(part[:4]) for part in whole.terminal.values())
    assert sum(rest.verified) == pytest.approx(sum(whole.verified[4:]) / live)
