"""Exact replay against brute force in rational numbers, and its properties."""

from __future__ import annotations

import random
from fractions import Fraction
from functools import cache

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from made_cells import attempts, cell

from analysis.cells import CENSORED, TERMINAL, VERIFIED, Cell
from analysis.errors import NotIdentified
from analysis.replay import replay
from analysis.schedules import Schedule, fixed, geometric, insurance, luby, single

HORIZON = 12
SOME = st.integers(1, HORIZON)


def policies(release: bool) -> st.SearchStrategy[Schedule]:
    return st.one_of(
        st.builds(fixed, SOME, release=st.just(release)),
        st.builds(geometric, st.integers(1, 3), st.sampled_from([1, 1.5, 2, 3]), release=st.just(release)),
        st.builds(luby, st.integers(1, 3), release=st.just(release)),
        st.builds(insurance, st.lists(SOME, min_size=1, max_size=4), repeat=st.booleans(), release=st.just(release)),
    )


ANY = st.one_of(policies(True), policies(False), st.just(single()))
CELLS = attempts(HORIZON, 6).filter(bool).map(lambda rows: cell(rows, horizon=HORIZON))


def brute_force(one: Cell, schedule: Schedule, budget: int) -> Fraction:
    """Every episode of every attempt, in rational numbers; no sharing with the product but the caps."""
    caps = schedule.caps(budget)
    rows = list(zip(one.event.tolist(), one.call.tolist(), strict=True))

    @cache
    def value(episode: int, left: int) -> Fraction:
        if episode == len(caps) or left == 0:
            return Fraction(0)
        span = min(caps[episode], left)
        total = Fraction(0)
        for event, call in rows:
            if event == VERIFIED and call <= span:
                total += 1
            elif event == TERMINAL and call <= span and schedule.release:
                total += value(episode + 1, left - call)
            else:
                total += value(episode + 1, left - span)
        return total / len(rows)

    return value(0, budget)


@given(CELLS, ANY, st.integers(1, HORIZON))
def test_equals_brute_force(one: Cell, schedule: Schedule, budget: int) -> None:
    assert replay([one], [schedule], budget)[0, 0] == pytest.approx(
        float(brute_force(one, schedule, budget)), abs=1e-12
    )


def test_equals_brute_force_on_larger_tables() -> None:
    """Budgets beyond the horizon, 20 attempts, all schedules at once."""
    rng = random.Random(5)
    schedules = [
        *(fixed(cutoff, release=release) for cutoff in (3, 7, 20) for release in (True, False)),
        insurance([5, 5, 20]), insurance([4, 9], repeat=True, release=False), geometric(1, 1.5), luby(2),
    ]  # fmt: skip
    for _ in range(10):
        rows = [(rng.choice([VERIFIED, TERMINAL]), rng.randint(1, 20)) for _ in range(rng.randint(1, 15))]
        one = cell([*rows, *[(CENSORED, 20)] * 5], horizon=20)
        budget = rng.randint(1, 60)
        schedules_now = [each for each in schedules if max(each.spans(budget)) <= 20]
        expected = [float(brute_force(one, each, budget)) for each in schedules_now]
        np.testing.assert_allclose(replay([one], schedules_now, budget)[0], expected, atol=1e-12, rtol=0)


@given(CELLS, ANY, st.integers(1, HORIZON), st.data())
def test_monotone_in_completion(one: Cell, schedule: Schedule, budget: int, data: st.DataObject) -> None:
    """An attempt that passes, or passes earlier, never lowers the value."""
    which = data.draw(st.integers(0, one.n - 1))
    call = data.draw(st.integers(1, int(one.call[which])))
    event, calls = one.event.copy(), one.call.copy()
    event[which], calls[which] = VERIFIED, call
    better = Cell(one.key, event, calls, one.horizon)
    worse, improved = replay([one, better], [schedule], budget)[:, 0]
    assert improved >= worse - 1e-12


@given(CELLS, policies(True), st.integers(1, HORIZON))
def test_release_never_hurts(one: Cell, schedule: Schedule, budget: int) -> None:
    kept = Schedule(schedule.kind, schedule.params, False, schedule.listed, schedule.repeat)
    with_release, without = replay([one], [schedule, kept], budget)[0]
    assert with_release >= without - 1e-12


@given(CELLS, st.integers(2, HORIZON), st.data())
def test_half_budget_identity(one: Cell, budget: int, data: st.DataObject) -> None:
    """Without terminals and with c >= B/2: 1 - (1 - F(c))(1 - F(B - c)) (equation 5), one restart at t = c."""
    cutoff = data.draw(st.integers((budget + 1) // 2, budget))
    passed = one.event == VERIFIED
    plain = Cell(
        one.key, np.where(passed, VERIFIED, CENSORED).astype(np.int8), np.where(passed, one.call, HORIZON), one.horizon
    )
    share = [float((plain.first_pass <= call).mean()) for call in (cutoff, budget - cutoff)]
    expected = 1 - (1 - share[0]) * (1 - share[1])
    assert replay([plain], [fixed(cutoff)], budget)[0, 0] == pytest.approx(expected, abs=1e-12)


@given(CELLS, ANY, st.integers(1, HORIZON), st.randoms(use_true_random=False))
def test_order_of_attempts_is_irrelevant(one: Cell, schedule: Schedule, budget: int, rng: random.Random) -> None:
    order = list(range(one.n))
    rng.shuffle(order)
    shuffled = Cell(one.key, one.event[order], one.call[order], one.horizon)
    first, second = replay([one, shuffled], [schedule], budget)[:, 0]
    assert first == second


def test_single_releases_nothing() -> None:
    one = cell([(TERMINAL, 1), (VERIFIED, 10)])
    assert replay([one], [single(), fixed(30)], 30)[0].tolist() == pytest.approx([0.5, 1 - 0.5**21], abs=1e-12)


def test_end_before_the_first_call_costs_a_call() -> None:
    one = cell([(TERMINAL, 0), (VERIFIED, 1)])
    assert replay([one], [fixed(4)], 3)[0, 0] == pytest.approx(1 - 0.5**3, abs=1e-15)


class TestRefusals:
    """Rules about the design, whatever the outcomes were."""

    passes = cell([(VERIFIED, 1), (VERIFIED, 1)])

    @pytest.mark.parametrize(
        ("schedule", "budget"),
        [
            (fixed(31), 60),
            (single(), 31),
            (insurance([15, 45]), 60),
            # With release the second episode may have 59 calls left, without it 30.
            (insurance([30, 45]), 60),
            (geometric(2, 2), 80),
        ],
    )
    def test_episode_past_the_horizon(self, schedule: Schedule, budget: int) -> None:
        with pytest.raises(NotIdentified, match="smallest horizon is 30") as refused:
            replay([self.passes], [schedule], budget)
        assert refused.value.known == {"horizon": 30}

    @pytest.mark.parametrize(
        ("schedule", "budget"),
        [(fixed(31), 30), (fixed(30), 600), (insurance([30, 45], release=False), 60), (single(), 30), (luby(4), 30)],
    )
    def test_supported(self, schedule: Schedule, budget: int) -> None:
        assert replay([self.passes], [schedule], budget)[0, 0] == 1.0

    def test_smallest_horizon_of_a_cell_counts(self) -> None:
        mixed = Cell(self.passes.key, self.passes.event, self.passes.call, np.array([30, 20]))
        replay([mixed], [fixed(20)], 60)
        with pytest.raises(NotIdentified, match="smallest horizon is 20"):
            replay([mixed], [fixed(21)], 60)

    def test_early_censoring_refuses_with_bounds(self) -> None:
        one = cell([(VERIFIED, 5), (CENSORED, 12), (CENSORED, 30), (TERMINAL, 20)])
        assert replay([one], [fixed(12)], 12)[0, 0] == 0.25
        with pytest.raises(NotIdentified, match="censored at call 12") as refused:
            replay([one], [fixed(30)], 30)
        known = refused.value.known
        assert known["identified_through"] == 12
        low, high = known["value_at_least"], known["value_at_most"]
        for event, call in ((VERIFIED, 13), (VERIFIED, 30), (TERMINAL, 13), (CENSORED, 30)):
            complete = cell([(VERIFIED, 5), (event, call), (CENSORED, 30), (TERMINAL, 20)])
            assert low - 1e-12 <= replay([complete], [fixed(30)], 30)[0, 0] <= high + 1e-12
