"""Certificates: validity by exact enumeration, agreement with scipy.stats, refusals, and no contradictions."""

from __future__ import annotations

from fractions import Fraction
from math import comb

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import binomtest, boschloo_exact, fisher_exact

from analysis.arms import Arms, Design, Pairs
from analysis.certificates import METHODS, betting, boschloo, check, fisher, method, paired_sign
from analysis.errors import InputError

COUNTING = ("clopper-pearson", "weak-sign", "fisher", "boschloo")
PAIRING = ("paired-sign", "betting")


def grid(n: int, m: int) -> Arms:
    """All tables of independent arms of n and m."""
    x, y = np.meshgrid(np.arange(n + 1), np.arange(m + 1), indexing="ij")
    return Arms(Design.INDEPENDENT, x.ravel(), np.full(x.size, n), y.ravel(), np.full(x.size, m))


def pairs(*sequences: list[int]) -> Arms:
    """Comparisons of given differences; an even one counts as two failures."""
    flat = np.array([d for sequence in sequences for d in sequence], dtype=np.int8)
    start = np.concatenate(([0], np.cumsum([len(s) for s in sequences]))).astype(np.int64)
    won = np.array([s.count(1) for s in sequences])
    lost = np.array([s.count(-1) for s in sequences])
    size = np.diff(start)
    return Arms(Design.PAIRS, won, size, lost, size, Pairs(flat, start))


def binomial(n: int, rate: float) -> np.ndarray:
    return np.array([comb(n, k) * rate**k * (1 - rate) ** (n - k) for k in range(n + 1)])


@pytest.mark.parametrize("name", COUNTING)
@pytest.mark.parametrize(("n", "m"), [(7, 7), (12, 5), (4, 15), (25, 25)])
@pytest.mark.parametrize(("alpha", "family"), [(0.05, 1), (0.3, 2), (0.05, 10)])
def test_counting_methods_keep_their_error_at_every_tie(name: str, n: int, m: int, alpha: float, family: int) -> None:
    """Per comparison at most alpha/M of wrong claims; Fisher and Boschloo at most alpha/(2M) a direction."""
    decision = method(name).decide(grid(n, m), alpha, family).decision.reshape(n + 1, m + 1)
    for rate in np.linspace(0, 1, 101):
        weight = np.outer(binomial(n, rate), binomial(m, rate))
        restart, cont = weight[decision > 0].sum(), weight[decision < 0].sum()
        if name in ("fisher", "boschloo"):
            assert max(restart, cont) <= alpha / (2 * family) + 1e-9
        # A weak claim at a tie is true; just beside it the same tables are claimed, and may be wrong one way only.
        assert (max(restart, cont) if name == "weak-sign" else restart + cont) <= alpha / family + 1e-9


@given(
    n=st.integers(1, 9),
    m=st.integers(1, 9),
    low=st.floats(0, 1),
    more=st.floats(0, 1),
    name=st.sampled_from(COUNTING),
)
def test_wrong_restarts_are_rarer_the_better_continuation_is(
    n: int, m: int, low: float, more: float, name: str
) -> None:
    p, q = low, low + more * (1 - low)
    restart = METHODS[name].decide(grid(n, m), 0.2, 1).decision.reshape(n + 1, m + 1) > 0
    assert np.outer(binomial(n, p), binomial(m, q))[restart].sum() <= 0.2 + 1e-9


@pytest.mark.parametrize(("n", "m"), [(6, 6), (9, 4), (1, 8)])
def test_fisher_agrees_with_scipy(n: int, m: int) -> None:
    table = grid(n, m)
    expected = [
        fisher_exact([[x, n - x], [y, m - y]], alternative="greater")[1] for x, y in zip(table.x, table.y, strict=True)
    ]
    assert fisher.p_value(table.x, table.n, table.y, table.m) == pytest.approx(expected, rel=1e-9)


@pytest.mark.parametrize(("n", "m"), [(5, 5), (7, 4)])
@pytest.mark.parametrize("level", [0.025, 0.0008])
def test_boschloo_agrees_with_scipy(n: int, m: int, level: float) -> None:
    """scipy.stats.boschloo_exact searches for the supremum; tables within 1 % of the level may fall to either side."""
    region = boschloo.rejection_region(n, m, level)
    for x in range(n + 1):
        for y in range(m + 1):
            p = boschloo_exact([[x, y], [n - x, m - y]], alternative="greater", n=64).pvalue
            if np.isnan(p) or abs(p / level - 1) < 0.01:
                continue
            assert region[x, y] == (p <= level), (x, y, p)


@pytest.mark.parametrize(("n", "m"), [(8, 8), (12, 7), (30, 30)])
def test_boschloo_rejects_whatever_fisher_does(n: int, m: int) -> None:
    table = grid(n, m)
    by_fisher = METHODS["fisher"].decide(table, 0.05, 3).decision
    by_boschloo = METHODS["boschloo"].decide(table, 0.05, 3).decision
    assert (by_boschloo[by_fisher != 0] == by_fisher[by_fisher != 0]).all()
    assert (by_boschloo != 0).sum() > (by_fisher != 0).sum()


def test_boschloo_is_told_to_be_too_large() -> None:
    with pytest.raises(InputError, match="use fisher"):
        boschloo.rejection_region(5000, 5000, 0.01)


@given(plus=st.integers(0, 40), minus=st.integers(0, 40))
def test_paired_sign_agrees_with_binomtest(plus: int, minus: int) -> None:
    expected = binomtest(plus, plus + minus, 0.5, "greater").pvalue if plus + minus else 1.0
    assert float(paired_sign.p_value(np.array(plus), np.array(minus))) == pytest.approx(expected, rel=1e-10)


def wealth(a: int, b: int) -> Fraction:
    """The integral of (1 + l)^a (1 - l)^b over [0, 1], expanded with exact rationals."""
    terms = [Fraction(0)] * (a + b + 1)
    for i in range(a + 1):
        for j in range(b + 1):
            terms[i + j] += comb(a, i) * comb(b, j) * (-1) ** j
    return sum((term / (k + 1) for k, term in enumerate(terms)), Fraction(0))


@given(a=st.integers(0, 14), b=st.integers(0, 14))
def test_wealth_is_the_integral(a: int, b: int) -> None:
    assert float(betting.log_wealth(a, b)) == pytest.approx(float(np.log(float(wealth(a, b)))), abs=1e-9)


@pytest.mark.parametrize("favour", [Fraction(1, 2), Fraction(2, 5), Fraction(0)])
@pytest.mark.parametrize("tied", [Fraction(0), Fraction(3, 4)])
def test_wealth_is_a_supermartingale_under_the_null(favour: Fraction, tied: Fraction) -> None:
    """E[W after | past] <= W in every state of 12 pairs, by exact enumeration; equal at p = q."""
    for a in range(12):
        for b in range(12 - a):
            moved = favour * wealth(a + 1, b) + (1 - favour) * wealth(a, b + 1)
            after = tied * wealth(a, b) + (1 - tied) * moved
            assert after == wealth(a, b) if favour == Fraction(1, 2) else after <= wealth(a, b)


@pytest.mark.parametrize("family", [1, 4])
def test_wealth_rarely_ever_reaches_its_bar_under_the_null(family: int) -> None:
    """Ville's inequality, over all paths of 200 discordant pairs at p = q."""
    bar, paths, reached = betting.threshold(0.5, family), {0: Fraction(1)}, Fraction(0)
    for d in range(1, 201):
        after: dict[int, Fraction] = {}
        for won, chance in paths.items():
            for more in (0, 1):
                after[won + more] = after.get(won + more, Fraction(0)) + chance / 2
        up = {won for won in after if betting.log_wealth(won, d - won) >= bar}
        reached += sum((after[won] for won in up), Fraction(0))
        paths = {won: chance for won, chance in after.items() if won not in up}
    assert 0 < reached <= Fraction(1, 4 * family)


def test_betting_stands_by_what_it_certified_first() -> None:
    first = [1] * 6 + [-1] * 60
    ruling = METHODS["betting"].decide(pairs(first, [], [-d for d in first], [1, -1] * 20), 0.2, 1)
    assert ruling.decision.tolist() == [1, 0, -1, 0]
    restart, cont = betting.first_certified(pairs([], first).pairs, 0.2, 1)  # type: ignore[arg-type]
    assert restart[1] == 5  # W(5, 0) = 63/6 is the first wealth of at least 2/0.2
    assert 5 < cont[1] < 66  # the other wealth gets there too, later
    assert restart[0] == cont[0] == np.iinfo(np.int64).max


@pytest.mark.parametrize("name", METHODS)
@pytest.mark.parametrize("family", [1, 7, 156])
def test_attainable_n_is_where_the_best_outcome_is_first_certified(name: str, family: int) -> None:
    used = METHODS[name]
    n = used.attainable_n(0.05, family)
    for size, certified in ((n - 1, False), (n, True)):
        one, none = np.array([size]), np.array([0])
        best = pairs([1] * size) if name in PAIRING else Arms(Design.INDEPENDENT, one, one, none, one)
        assert (used.decide(best, 0.05, family).decision[0] == 1) == certified


@given(data=st.data(), alpha=st.sampled_from([0.05, 0.4]), family=st.sampled_from([1, 20]))
def test_swapped_arms_flip_every_decision_and_methods_never_contradict(
    data: st.DataObject, alpha: float, family: int
) -> None:
    n, m = data.draw(st.integers(1, 30)), data.draw(st.integers(1, 30))
    x, y = data.draw(st.integers(0, n)), data.draw(st.integers(0, m))
    counts = Arms(Design.INDEPENDENT, *(np.array([value]) for value in (x, n, y, m)))
    sequence = data.draw(st.lists(st.sampled_from([-1, 0, 1]), max_size=40))
    for names, arms in ((COUNTING, counts), (("paired-sign",), pairs(sequence))):
        said = {name: int(METHODS[name].decide(arms, alpha, family).decision[0]) for name in names}
        flipped = {name: int(METHODS[name].decide(arms.swapped(), alpha, family).decision[0]) for name in names}
        assert flipped == {name: -claim for name, claim in said.items()}
        observed = np.sign(x * m - y * n) if names is COUNTING else np.sign(sum(sequence))
        assert all(claim in (0, observed) for claim in said.values())
    swapped = METHODS["betting"].decide(pairs(sequence).swapped(), alpha, family).decision[0]
    assert swapped == -METHODS["betting"].decide(pairs(sequence), alpha, family).decision[0]


@pytest.mark.parametrize("name", COUNTING)
def test_an_empty_arm_certifies_nothing(name: str) -> None:
    zero = np.array([0, 0, 40])
    arms = Arms(Design.INDEPENDENT, np.array([0, 40, 0]), np.array([40, 40, 40]), zero * 0, zero * 0)
    assert METHODS[name].decide(arms, 0.9, 1).decision.tolist() == [0, 0, 0]


@pytest.mark.parametrize(
    ("name", "design", "because"),
    [
        ("fisher", Design.ONE_POOL, "share attempts"),
        ("boschloo", Design.ONE_POOL, "share attempts"),
        ("paired-sign", Design.ONE_POOL, "no disjoint pairs"),
        ("betting", Design.ONE_POOL, "one after the other"),
        ("paired-sign", Design.INDEPENDENT, "partners"),
        ("betting", Design.INDEPENDENT, "order"),
        ("clopper-pearson", Design.PAIRS, "counts, not pairs"),
        ("fisher", Design.PAIRS, "counts, not pairs"),
    ],
)
def test_designs_are_refused_with_the_reason(name: str, design: Design, because: str) -> None:
    with pytest.raises(InputError, match=because):
        check(METHODS[name], design)


@pytest.mark.parametrize("name", METHODS)
def test_only_betting_may_be_stopped_by_looking(name: str) -> None:
    (design,) = [d for d in Design if d not in METHODS[name].WHY_NOT][-1:]
    if name == "betting":
        check(METHODS[name], design, optional_stopping=True)
    else:
        with pytest.raises(InputError, match="optional stopping"):
            check(METHODS[name], design, optional_stopping=True)


def test_unknown_methods_and_impossible_errors() -> None:
    with pytest.raises(InputError, match=r"'bayes'.*\n.*clopper-pearson"):
        method("bayes")
    for used in METHODS.values():
        with pytest.raises(InputError):
            used.attainable_n(1.5, 1)
        with pytest.raises(InputError):
            used.attainable_n(0.05, 0)
