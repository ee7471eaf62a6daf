"""The checkpoint bootstrap and rank concordance: against brute force, SciPy, and what must hold."""

from __future__ import annotations

from collections import Counter
from itertools import product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import spearmanr

from analysis.errors import InputError
from analysis.readout.exact_bootstrap import bootstrap_law
from analysis.readout.panel import panel_of
from analysis.readout.ranks import resampled_spearman, spearman
from analysis.readout.readout import Settings, readout
from analysis.readout.resampling import cluster_weights, ends_of, resample_weights, resampled_means


def test_strata_keep_their_sizes() -> None:
    strata = list("aabbbbcab")
    weights = resample_weights(9, strata, 500, seed=3)
    for name in "abc":
        mine = np.array(strata) == name
        assert (weights[:, mine].sum(axis=1) == mine.sum()).all()
    assert weights[:, 6].std() == 0  # alone in its stratum
    assert np.array_equal(weights, resample_weights(9, strata, 500, seed=3))
    assert weights.mean(axis=0) == pytest.approx(np.ones(9), abs=0.2)


def test_clusters_are_drawn_whole() -> None:
    tasks = ["t1", "t1", "t2", "t3", "t3", "t3"]
    weights = cluster_weights(tasks, None, 200, seed=1)
    assert np.array_equal(weights[:, 0], weights[:, 1])
    assert np.array_equal(weights[:, 3], weights[:, 5])
    assert (weights[:, [0, 2, 3]].sum(axis=1) == 3).all()
    with pytest.raises(InputError, match="task t1 is in strata a and b"):
        cluster_weights(tasks, list("abccaa"))


def test_a_resample_is_a_recomputation() -> None:
    rng = np.random.default_rng(2)
    values, weights = rng.random((7, 3)), resample_weights(7, None, 20, seed=4)
    for row, means in zip(weights, resampled_means(weights, values), strict=True):
        chosen = np.repeat(np.arange(7), row.astype(int))
        assert means == pytest.approx(values[chosen].mean(axis=0))


@settings(max_examples=40, deadline=None)
@given(st.lists(st.sampled_from([0, 1 / 16, 1 / 6, 1 / 2, 1]), min_size=1, max_size=5), st.booleans())
def test_the_exact_law_is_that_of_all_resamples(values: list[float], split: bool) -> None:
    strata = ["a" if place % 2 else "b" for place in range(len(values))] if split else None
    groups = [[v for v, s in zip(values, strata or values, strict=True) if not split or s == name]
              for name in ("ab" if split else "x")]  # fmt: skip
    groups = [group if split else values for group in groups if group or not split]
    laws: Counter[float] = Counter()
    for picks in product(*(product(group, repeat=len(group)) for group in groups)):
        laws[round(sum(map(sum, picks)) / len(values), 10)] += 1
    total = sum(laws.values())
    law = bootstrap_law(np.array(values), 48, strata)
    assert law is not None
    found = {round(float(v), 10): float(p) for v, p in zip(law.values, law.probabilities, strict=True) if p > 1e-12}
    assert found == pytest.approx({value: count / total for value, count in laws.items()}, abs=1e-9)


def test_no_exact_law_off_the_lattice_or_of_too_many_points() -> None:
    assert bootstrap_law(np.array([0.1234567, 0.7654321, 0.5]), 16) is None
    assert bootstrap_law(np.array([0.0, 1 / 36, 1.0]), 36, most=50) is None


def test_exact_ends_stand_where_they_can_be_had() -> None:
    rng = np.random.default_rng(1)
    select = rng.integers(0, 2, (6, 3, 8)).astype(float)
    evaluate = rng.random((6, 3, 8))
    found = readout(panel_of(select, evaluate), Settings(exact=True, replicates=300))
    for one in found.exact:
        assert one["agreement"] and one["jaccard"] and not one["held_out_success"]


@settings(max_examples=80, deadline=None)
@given(st.lists(st.tuples(st.integers(0, 3), st.integers(0, 3)), min_size=3, max_size=9))
def test_spearman_is_scipys(points: list[tuple[int, int]]) -> None:
    x, y = np.array(points, float).T
    ours = spearman(x, y)
    if len(set(x)) == 1 or len(set(y)) == 1:
        assert np.isnan(ours)
    else:
        assert ours == pytest.approx(spearmanr(x, y).statistic, abs=1e-12)
        weights = resample_weights(len(x), None, 10, seed=len(points))
        for row, value in zip(weights, resampled_spearman(x, y, weights), strict=True):
            chosen = np.repeat(np.arange(len(x)), row.astype(int))
            a, b = x[chosen], y[chosen]
            if len(set(a)) == 1 or len(set(b)) == 1:
                assert np.isnan(value)
            else:
                assert value == pytest.approx(spearmanr(a, b).statistic, abs=1e-12)


def test_undefined_resamples_are_left_out_and_counted() -> None:
    (ends,) = ends_of(np.array([np.nan, 0.5, -0.5, np.nan])[:, None])
    assert ends == (-0.5, 0.5, 0.5)
    (none,) = ends_of(np.full((3, 1), np.nan))
    assert np.isnan(none.low) and none.omitted == 1.0


def test_panels_of_the_same_checkpoints_are_resampled_together() -> None:
    rng = np.random.default_rng(8)
    one, other = (panel_of(rng.integers(0, 2, (5, 2, 4)).astype(float)) for _ in range(2))
    assert np.array_equal(readout(one).weights, readout(other).weights)
    found = readout(one, Settings(replicates=400))
    difference = found.measures[1].column("agreement") - found.measures[0].column("agreement")
    samples = resampled_means(found.weights, difference[:, None])
    assert found.interval(difference) == ends_of(samples)[0]


@pytest.mark.parametrize(
    ("settings_", "said"),
    [
        (Settings(score="public"), "'public' is not a score"),
        (Settings(unit="task"), "is needed to resample tasks"),
        (Settings(ks=(1, 3)), "two blocks of 3 repeats do not fit into 4"),
    ],
)
def test_settings_that_do_not_fit_are_refused(settings_: Settings, said: str) -> None:
    with pytest.raises(InputError, match=said):
        readout(panel_of(np.zeros((2, 2, 4))), settings_)
