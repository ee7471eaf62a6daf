"""Power against enumeration of whole samples through the audit's own counting."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest
from made_cells import cell

from analysis.arms import Arms, Design, Pairs, one_pool, paired, pool_of, split
from analysis.cells import CENSORED, TERMINAL, VERIFIED
from analysis.certificates import METHODS
from analysis.errors import InputError
from analysis.power import Effect, attempts_needed, power

B, T = 10, 4
#: Attempts by what they mean at call 4 of 10: gone with an early pass, gone without, live with an early pass, live with
#: a late pass, live and failing.
KINDS = [(VERIFIED, 2), (TERMINAL, 1), (VERIFIED, 5), (VERIFIED, 9), (CENSORED, B)]
CHANCES = np.array([0.2, 0.1, 0.15, 0.2, 0.35])
LIVE = float(CHANCES[2:].sum())
EFFECT = Effect(p=0.35, q=0.35 / 0.7, live=LIVE, both=0.15)


def enumerated(name: str, n: int, sampling: object, alpha: float) -> tuple[float, float]:
    """Chance of each claim, over all 5^n samples of n attempts."""
    assert callable(sampling)
    samples = list(product(range(5), repeat=n))
    cells = [cell([KINDS[kind] for kind in kinds], horizon=B, task=str(i)) for i, kinds in enumerate(samples)]
    decision = METHODS[name].decide(sampling(pool_of(cells, B), T, B), alpha, 1).decision
    weight = CHANCES[np.array(samples)].prod(axis=1)
    return float(weight[decision > 0].sum()), float(weight[decision < 0].sum())


@pytest.mark.parametrize(
    ("name", "design", "sampling"),
    [
        ("clopper-pearson", "one-pool", one_pool),
        ("weak-sign", "one-pool", one_pool),
        ("weak-sign", "split", split),
        ("fisher", "split", split),
        ("boschloo", "split", split),
        ("paired-sign", "one-pool", paired),
        ("betting", "one-pool", paired),
    ],
)
@pytest.mark.parametrize("n", [4, 6])
def test_power_of_a_pool_is_that_of_all_its_samples(name: str, design: str, sampling: object, n: int) -> None:
    found = power(name, EFFECT, n, design=design, alpha=0.9)
    assert found == pytest.approx(enumerated(name, n, sampling, 0.9), abs=1e-12)
    if n == 6:
        assert found.restart + found.continue_ > 0


def test_one_pool_without_overlap() -> None:
    """Decision calls in the second half: nothing is live and early at once."""
    effect = Effect(p=0.3, q=0.5, live=0.7)
    assert effect.overlap == 0
    kinds, chances = [(VERIFIED, 2), (VERIFIED, 9), (CENSORED, B)], np.array([0.3, 0.35, 0.35])
    samples = list(product(range(3), repeat=7))
    cells = [cell([kinds[k] for k in sample], horizon=B, task=str(i)) for i, sample in enumerate(samples)]
    decision = METHODS["weak-sign"].decide(one_pool(pool_of(cells, B), 6, B), 0.8, 1).decision
    weight = chances[np.array(samples)].prod(axis=1)
    expected = float(weight[decision > 0].sum()), float(weight[decision < 0].sum())
    assert power("weak-sign", effect, 7, design="one-pool", alpha=0.8) == pytest.approx(expected, abs=1e-12)


@pytest.mark.parametrize("name", ["clopper-pearson", "weak-sign", "fisher", "boschloo"])
def test_power_of_independent_arms_sums_over_tables(name: str) -> None:
    p, q, n = 0.7, 0.2, 9
    x, y = np.meshgrid(np.arange(n + 1), np.arange(n + 1), indexing="ij")
    arms = Arms(Design.INDEPENDENT, x.ravel(), np.full(x.size, n), y.ravel(), np.full(x.size, n))
    decision = METHODS[name].decide(arms, 0.2, 1).decision
    rng = np.random.default_rng(5)
    drawn = rng.binomial(n, p, 200_000) * (n + 1) + rng.binomial(n, q, 200_000)
    share = float((decision[drawn] > 0).mean())
    assert power(name, Effect(p, q), n, alpha=0.2).restart == pytest.approx(share, abs=0.005)


@pytest.mark.parametrize("name", ["paired-sign", "betting"])
def test_power_of_n_pairs_sums_over_sequences(name: str) -> None:
    p, q, n = 0.8, 0.3, 7
    chance = {1: p * (1 - q), -1: q * (1 - p), 0: p * q + (1 - p) * (1 - q)}
    sequences = list(product((-1, 0, 1), repeat=n))
    flat = np.array(sequences, dtype=np.int8).ravel()
    start = np.arange(len(sequences) + 1) * n
    zero = np.zeros(len(sequences), dtype=np.int64)
    decision = METHODS[name].decide(Arms(Design.PAIRS, zero, zero, zero, zero, Pairs(flat, start)), 0.3, 1).decision
    weight = np.array([np.prod([chance[d] for d in s]) for s in sequences])
    expected = float(weight[decision > 0].sum()), float(weight[decision < 0].sum())
    assert power(name, Effect(p, q), n, alpha=0.3) == pytest.approx(expected, abs=1e-12)
    assert expected[0] > 0.2


@pytest.mark.parametrize("name", METHODS)
@pytest.mark.parametrize("effect", [Effect(0.9, 0.3), Effect(0.1, 0.8)])
def test_attempts_needed_is_where_power_first_suffices(name: str, effect: Effect) -> None:
    n = attempts_needed(name, effect, family=5)
    assert n is not None
    side = 0 if effect.p > effect.q else 1
    reached = [power(name, effect, k, family=5)[side] >= 0.8 for k in range(1, n + 1)]
    assert reached[-1]
    assert not any(reached[max(0, n - 9) : n - 1])
    assert power(name, effect, n, family=5)[1 - side] < 0.01


def test_attempts_needed_says_when_it_is_too_many() -> None:
    assert attempts_needed("clopper-pearson", Effect(0.5, 0.45), family=156, most=300) is None
    assert attempts_needed("clopper-pearson", Effect(0.8, 0.2), most=22) is None
    assert attempts_needed("clopper-pearson", Effect(0.8, 0.2), most=23) == 23


def test_sharper_certificates_need_fewer_attempts() -> None:
    needed = {name: attempts_needed(name, Effect(0.8, 0.2), family=156) or 0 for name in METHODS}
    assert needed["boschloo"] <= needed["fisher"] < needed["weak-sign"] < needed["clopper-pearson"]
    assert needed["paired-sign"] < needed["betting"] < needed["clopper-pearson"]


@pytest.mark.parametrize("name", METHODS)
def test_at_a_tie_power_is_error(name: str) -> None:
    for rate in (0.1, 0.5, 0.8):
        found = power(name, Effect(rate, rate), 30, alpha=0.1, family=2)
        assert max(found) <= 0.1 / 2 / (1 if name == "weak-sign" else 2) + 1e-9


def test_impossible_questions_are_refused() -> None:
    with pytest.raises(InputError, match="share attempts"):
        power("fisher", Effect(0.8, 0.2, live=0.2), 10, design="one-pool")
    with pytest.raises(InputError, match="not possible in one pool"):
        power("clopper-pearson", Effect(0.9, 0.2), 10, design="one-pool")
    with pytest.raises(InputError, match="unknown design 'both'"):
        power("clopper-pearson", Effect(0.9, 0.2), 10, design="both")
    with pytest.raises(InputError, match="whole pool"):
        power("betting", Effect(0.9, 0.2, live=0.1), 10, design="split")
    with pytest.raises(InputError, match="no direction"):
        attempts_needed("fisher", Effect(0.4, 0.4))
    with pytest.raises(InputError, match=r"--p: 1.2 is not a probability"):
        Effect(1.2, 0.1)
    with pytest.raises(InputError, match="--power: 1"):
        attempts_needed("fisher", Effect(0.4, 0.3), target=1.0)
