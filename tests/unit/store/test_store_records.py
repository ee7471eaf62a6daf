"""Records refuse values that contradict themselves."""

from __future__ import annotations

from typing import Any

import pytest
from store_builders import action, attempt, verified

from harness.store.records import TryResult


@pytest.mark.parametrize(
    ("make", "named"),
    [
        (lambda: TryResult("solved", 1, 1, 1.0), "event"),
        (lambda: TryResult("terminal", 5, 4, 1.0), "call"),
        (lambda: TryResult("terminal", -1, 4, 1.0), "call"),
        (lambda: TryResult("verified", 3, 3, 1.0), "action"),
        (lambda: verified(0), "call"),
        (lambda: verified(repassed_at=9), "unpassed_at"),
        (lambda: verified(wall_s=float("nan")), "wall_s"),
        (lambda: verified(cost_usd=-0.1), "cost_usd"),
        (lambda: verified(reason="failed at /home/me/x.py"), "reason"),
        (lambda: verified(trajectory="../../etc/passwd"), "trajectory"),
        (lambda: action(0), "call"),
        (lambda: action(1, command="rm -rf /"), "command"),
        (lambda: action(1, seconds=float("inf")), "seconds"),
        (lambda: attempt(0), "repeat"),
        (lambda: attempt(horizon=0), "horizon"),
        (lambda: attempt(origin="measured"), "origin"),
    ],
)
def test_the_offending_field_is_named(make: Any, named: str) -> None:
    with pytest.raises(ValueError, match=rf"^{named} is "):
        make()


def test_a_zero_cost_is_not_an_unknown_one() -> None:
    assert verified(cost_usd=0.0).cost_usd == 0.0
    assert verified(cost_usd=None).cost_usd is None
