"""The hierarchical bootstrap against enumeration, and against its own Monte Carlo."""

from __future__ import annotations

from collections import Counter
from fractions import Fraction
from itertools import product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from made_cells import attempts, cell

from analysis.bootstrap import interval_of, interval_of_samples, macro_samples, resampled
from analysis.cells import CENSORED, TERMINAL, VERIFIED, Cell
from analysis.contrasts import arm_contrast, policy_contrasts, policy_intervals
from analysis.errors import InputError, NotIdentified
from analysis.lattice import mean_of_draws, merged
from analysis.laws import Matrix, law_of
from analysis.replay import policy_values, replay
from analysis.resamples import multisets
from analysis.schedules import fixed

BUDGET = 12
CELLS = attempts(BUDGET, 5).filter(bool).map(lambda rows: cell(rows, horizon=BUDGET))


def two_policies(passes: Matrix, ends: Matrix) -> Matrix:
    return policy_values(passes, ends, [fixed(5), fixed(12)])


@given(CELLS)
def test_multisets_are_all_resamples(one: Cell) -> None:
    law = law_of(one, BUDGET)
    found = multisets(law)
    assert found is not None
    weights, probabilities = found
    assert probabilities.sum() == pytest.approx(1, abs=1e-12)
    np.testing.assert_allclose(probabilities @ weights, law.counts / law.n, atol=1e-12)
    if one.n > 4:
        return
    # Every ordered resample of the attempts, one by one.
    kinds = [(event, call) if event != CENSORED else None for event, call in zip(one.event, one.call, strict=True)]
    order = list(zip(np.where(law.passed, VERIFIED, TERMINAL), law.calls, strict=True))
    expected: Counter[tuple[int, ...]] = Counter()
    for picks in product(kinds, repeat=one.n):
        expected[tuple(sum(pick == kind for pick in picks) for kind in order)] += 1
    got = {tuple(np.rint(row * law.n).astype(int)): p for row, p in zip(weights, probabilities, strict=True)}
    assert got.keys() == expected.keys()
    for counts, times in expected.items():
        assert got[counts] == pytest.approx(times / one.n**one.n, abs=1e-12)


def test_many_multisets_are_not_listed() -> None:
    assert multisets(law_of(cell([(VERIFIED, call) for call in range(1, 21)]), 30)) is None


def test_exact_law_is_the_enumerated_one() -> None:
    """Two tasks of three attempts: all 4 draws of tasks times all resamples of each."""
    tasks = [
        cell([(VERIFIED, 3), (VERIFIED, 9), (CENSORED, 12)], horizon=12, task="one"),
        cell([(TERMINAL, 2), (VERIFIED, 6), (CENSORED, 12)], horizon=12, task="two"),
    ]
    one_task: list[Counter[float]] = []
    for task in tasks:
        values: Counter[float] = Counter()
        for picks in product(range(3), repeat=3):
            again = Cell(task.key, task.event[list(picks)], task.call[list(picks)], task.horizon)
            short, long = replay([again], [fixed(5), fixed(12)], 12)[0]
            values[round(short - long, 9)] += 1
        one_task.append(values)
    expected: dict[float, Fraction] = {}
    for first, second in product(range(2), repeat=2):
        for (a, times), (b, again_times) in product(one_task[first].items(), one_task[second].items()):
            mean = round((a + b) / 2, 8)
            expected[mean] = expected.get(mean, Fraction(0)) + Fraction(times * again_times, 4 * 27 * 27)
    law = resampled(tasks, 12, two_policies).exact(0, 1)
    assert law is not None
    got = {round(float(v), 8): p for v, p in zip(law.values, law.probabilities, strict=True) if p > 0}
    assert got.keys() == expected.keys()
    for value, share in expected.items():
        assert got[value] == pytest.approx(float(share), abs=1e-12)


@given(st.lists(CELLS, min_size=1, max_size=4))
def test_exact_law_has_the_mean_of_the_tasks(cells: list[Cell]) -> None:
    """Without terminals F is linear in the weights, so F's bootstrap mean is the plug-in value."""
    found = resampled(cells, BUDGET, lambda passes, _: np.cumsum(passes, axis=1))
    law = found.exact(BUDGET)
    assert law is not None
    plain = np.mean([float((one.first_pass <= BUDGET).mean()) for one in cells])
    assert float(law.values @ law.probabilities) == pytest.approx(plain, abs=1e-9)


def test_monte_carlo_agrees_and_repeats() -> None:
    rng = np.random.default_rng(3)
    cells = []
    for number in range(6):
        rows = [(VERIFIED, int(call)) for call in rng.integers(1, 13, size=number)]
        rows += [(TERMINAL, 4), *[(CENSORED, 12)] * (7 - number)]
        cells.append(cell(rows, horizon=12, task=f"task-{number}"))
    found = resampled(cells, 12, two_policies)
    exact = found.exact(0)
    assert exact is not None
    (samples,) = macro_samples([found], 20_000, seed=7)
    assert np.array_equal(samples, macro_samples([found], 20_000, seed=7)[0])
    assert not np.array_equal(samples, macro_samples([found], 20_000, seed=8)[0])
    for share in (0.1, 0.5, 0.9):
        level = exact.quantile(share)
        assert (samples[:, 0] <= level + 1e-9).mean() == pytest.approx(exact.at_most(level), abs=0.02)
    drawn, ends = interval_of_samples(samples[:, 0], 7), interval_of(exact)
    assert (drawn.low, drawn.high) == pytest.approx((ends.low, ends.high), abs=0.02)
    assert (drawn.replicates, drawn.seed, ends.replicates, ends.seed) == (20_000, 7, None, None)


def test_large_tasks_are_drawn_not_listed() -> None:
    """A binomial: F(12) of 400 attempts, half of which pass, has standard error 0.025."""
    calls = np.arange(400) % 10 + 1
    one = cell([(VERIFIED, int(call)) if i % 2 else (CENSORED, 12) for i, call in enumerate(calls)], horizon=12)
    (interval,) = policy_intervals([one], [fixed(12)], 12, replicates=4000)
    assert interval.seed is not None
    assert (interval.low, interval.high) == pytest.approx((0.5 - 0.049, 0.5 + 0.049), abs=0.006)


def test_lattice_limits() -> None:
    law = merged(np.array([0.0, 1 / 3, 1.0]), np.array([0.2, 0.3, 0.5]))
    found = mean_of_draws(law, 2, [3])
    assert found is not None
    np.testing.assert_allclose(found.values, np.arange(7) / 6, atol=1e-12)
    np.testing.assert_allclose(found.probabilities, [0.04, 0.12, 0.09, 0.2, 0.3, 0, 0.25], atol=1e-12)
    assert mean_of_draws(law, 2, [3], most=6) is None
    assert mean_of_draws(merged(np.array([0, 0.1234567891]), np.array([0.5, 0.5])), 2, [3]) is None
    assert found.quantile(0.04) == 0 and found.quantile(0.05) == pytest.approx(1 / 6)
    assert (found.positive, found.negative) == pytest.approx((0.96, 0.0))


def test_contrast_with_itself_is_zero() -> None:
    (contrast,) = policy_contrasts([cell([(VERIFIED, 3), (CENSORED, 30)])], [fixed(8)], fixed(8), 30)
    assert contrast.difference == contrast.interval.low == contrast.interval.high == 0


def test_arms_are_paired_by_task() -> None:
    treated = [cell([(VERIFIED, 3)] * 4, task=name, arm="t") for name in ("a", "b")]
    control = [cell([(VERIFIED, 3), *[(CENSORED, 30)] * 3], task=name, arm="c") for name in ("b", "a")]
    contrast = arm_contrast(treated, control, fixed(30), 30)
    assert contrast.difference == 0.75
    # The mean of two draws of 1 - Bin(4, 1/4)/4.
    assert (contrast.interval.low, contrast.interval.high) == (0.375, 1.0)
    drawn = arm_contrast(treated, control, fixed(30), 30, most=0, replicates=4000)
    assert (drawn.interval.low, drawn.interval.high) == pytest.approx((0.375, 1.0), abs=0.13)
    with pytest.raises(InputError, match="not paired by task"):
        arm_contrast(treated, control[:1], fixed(30), 30)


def test_refusals_reach_the_bootstrap() -> None:
    for call in (policy_intervals, lambda *args: policy_contrasts(*args[:2], fixed(8), args[2])):
        with pytest.raises(NotIdentified):
            call([cell([(VERIFIED, 3)])], [fixed(60)], 60)
