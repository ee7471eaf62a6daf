"""The coverage simulation: its truth is the truth, it finds errors where there are some, and the methods pass."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from analysis import coverage
from analysis.certificates import METHODS
from analysis.coverage import Law, laws, simulate
from analysis.errors import InputError
from analysis.power import Effect, power


@pytest.mark.parametrize("name", laws(12))
def test_rates_are_those_of_the_draws(name: str) -> None:
    law, t = laws(12)[name], 5
    drawn = coverage._draw(law, 400_000, 1, np.random.default_rng(3))
    live = drawn.call > t
    p, q = law.rates(t)
    assert float((drawn.verified & (drawn.call <= 12 - t)).mean()) == pytest.approx(p, abs=0.004)
    assert float((drawn.verified & live & (drawn.call <= 12)).sum() / live.sum()) == pytest.approx(q, abs=0.004)


def test_the_tied_law_is_tied_at_every_call() -> None:
    for name in ("tied", "tied-terminal"):
        for t in range(1, 30):
            p, q = laws(30)[name].rates(t)
            assert p == pytest.approx(q, abs=1e-12)


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("law", ["tied", "quickening", "late"])
def test_methods_err_no_more_than_alpha(method: str, law: str) -> None:
    found = simulate(method, laws(30)[law], attempts=30, tasks=2, times=[10, 16], alpha=0.2, replicates=1500, seed=7)
    assert not found.broken
    assert found.rate <= 0.2
    assert found.family == 4


def test_an_error_rate_above_alpha_is_noticed() -> None:
    """Fisher at alpha = 0.8, held to a promise of 0.1."""
    found = simulate("fisher", laws(30)["tied"], attempts=80, tasks=1, times=[10], alpha=0.8, replicates=3000, seed=2)
    assert found.errors > 0.2 * found.replicates
    assert not found.broken
    assert replace(found, alpha=0.1).broken


def test_claims_that_are_right_come_as_often_as_power_says() -> None:
    budget, t, n = 20, 10, 40
    law = Law("half", np.where(np.arange(1, budget + 1) <= 2, 0.4, 0.01), np.zeros(budget))
    p, q = law.rates(t)
    live = float(np.prod(1 - law.passes[:t]))
    expected = power("fisher", Effect(p, q, live=live), n, design="split", alpha=0.2).restart
    found = simulate("fisher", law, attempts=n, tasks=1, times=[t], alpha=0.2, replicates=4000, seed=4)
    assert 0.2 < expected < 0.95
    assert found.right == pytest.approx(expected, abs=0.03)


def test_simulations_repeat_with_their_seed() -> None:
    one, two = (simulate("betting", laws(30)["late"], attempts=9, tasks=1, times=[16], replicates=50) for _ in "ab")
    assert one == two


def test_impossible_simulations_are_refused() -> None:
    with pytest.raises(InputError, match="budget 30"):
        simulate("betting", laws(30)["tied"], attempts=9, tasks=1, times=[30])
    with pytest.raises(InputError, match="at least one"):
        simulate("betting", laws(30)["tied"], attempts=0, tasks=1, times=[3])
