"""Metrics of a panel against a slow reading in rational numbers, and what must hold for any panel."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from made_panels import panels, slow_metrics, slow_pairs

from analysis.errors import InputError
from analysis.readout.best_sets import Rule, best_sets, named
from analysis.readout.blocks import blocks_of
from analysis.readout.measures import METRICS, measured
from analysis.readout.pair_tables import census
from analysis.readout.panel import Panel, panel_of

COSTS = (0.05, 0.05, 0.1, 0.25)


@settings(max_examples=80, deadline=None)
@given(panels(), st.sampled_from(["split", "all_pairs"]), st.booleans(), st.sampled_from([0.0, 0.25, 0.3]))
def test_every_metric_is_that_of_a_slow_reading(panel: Panel, design: str, costly: bool, epsilon: float) -> None:
    costs = COSTS[: panel.shape[1]] if costly else [0.0] * panel.shape[1]
    rule = Rule(epsilon, dict(zip(panel.actions, costs, strict=True)))
    for k in range(1, panel.shape[2] // 2 + 1):
        found = measured(panel, k, design, rule)
        assert blocks_of(panel.shape[2], k, design).pairs == len(slow_pairs(panel.shape[2], k, design))
        for c in range(panel.shape[0]):
            slow = slow_metrics(panel, c, k, design, costs, epsilon)
            assert set(slow) == set(METRICS)
            for name, value in slow.items():
                assert found.column(name)[c] == pytest.approx(float(value), abs=1e-12), name


@settings(max_examples=60, deadline=None)
@given(panels(least=4), st.sampled_from(["split", "all_pairs"]))
def test_parts_of_a_readout_fit_together(panel: Panel, design: str) -> None:
    for k in (1, panel.shape[2] // 2):
        found = {name: measured(panel, k, design).column(name) for name in METRICS}
        assert found["single"] + found["multiple"] == pytest.approx(found["agreement"])
        assert (found["all_zero"] + found["all_success"] <= found["multiple"] + 1e-12).all()
        assert (found["agreement"] <= found["jaccard"] + 1e-12).all()
        assert (found["jaccard"] <= found["common_action"] + 1e-12).all()
        assert (found["uniform_choice"] <= found["common_action"] + 1e-12).all()
        assert ((found["mean_size"] >= 1) & (found["mean_size"] <= panel.shape[1])).all()


@settings(max_examples=40, deadline=None)
@given(panels(), st.randoms(use_true_random=False))
def test_names_and_order_of_actions_do_not_matter(panel: Panel, random: object) -> None:
    order = list(range(panel.shape[1]))
    random.shuffle(order)  # type: ignore[attr-defined]
    other = panel_of(panel.select[:, order], panel.evaluate[:, order])
    assert measured(other, 1).values == pytest.approx(measured(panel, 1).values)


@settings(max_examples=40, deadline=None)
@given(panels())
def test_sets_grow_with_the_tolerance(panel: Panel) -> None:
    sizes = [measured(panel, 1, "split", Rule(epsilon)).mean("mean_size") for epsilon in (0.0, 0.25, 0.5, 1.0)]
    assert sizes == sorted(sizes)
    assert sizes[-1] == panel.shape[1]


def test_pairs_of_eight_repeats() -> None:
    assert [blocks_of(8, k).pairs for k in (1, 2, 4)] == [16, 36, 1]
    assert [blocks_of(8, k, "all_pairs").pairs for k in (1, 2, 4)] == [56, 420, 70]


def test_all_fail_and_all_succeed_have_the_cheap_actions_for_their_set() -> None:
    scores = np.concatenate([np.zeros((1, 3, 8)), np.ones((1, 3, 8))])
    rule = Rule(costs={"retry": 0.05, "verify": 0.05, "replace": 0.1})
    panel = panel_of(scores, actions=["retry", "verify", "replace"])
    for k in (1, 2, 4):
        found = measured(panel, k, "split", rule)
        assert found.column("mean_size").tolist() == [2.0, 2.0]
        assert found.choice == pytest.approx(np.array([[0.5, 0.5, 0.0]] * 2))
    assert named(3, panel.actions) == "{retry, verify}"


def test_whole_sums_are_compared_exactly_and_others_within_a_tolerance() -> None:
    sums = np.array([[[0.1 + 0.2], [0.3], [0.3 - 1e-6]]])
    assert best_sets(sums, 3).tolist() == [[3]]
    assert best_sets(np.array([[[4.0], [3.0]]]), 4).tolist() == [[1]]


def test_what_is_left_out_is_left_out_of_blocks_and_of_the_judgement() -> None:
    rng = np.random.default_rng(5)
    scores = rng.integers(0, 2, (3, 3, 8)).astype(float)
    kept = np.ones((3, 8), bool)
    kept[0, [1, 6]] = False
    kept[1, :3] = False  # one repeat of the first half stays: no block of two
    found = measured(panel_of(scores), 2, "split", kept=kept)
    assert found.pairs.tolist() == [9, 0, 36]
    smaller = measured(panel_of(np.delete(scores[:1], [1, 6], axis=2)), 2)
    assert found.values[0] == pytest.approx(smaller.values[0])
    assert np.isnan(found.values[1]).all()
    whole = measured(panel_of(scores), 2)
    assert found.values[2] == pytest.approx(whole.values[2])
    assert found.mean("agreement") == pytest.approx((found.values[0, 0] + found.values[2, 0]) / 2)


@pytest.mark.parametrize(
    ("repeats", "k", "design", "said"),
    [
        (8, 5, "split", "two blocks of 5 repeats do not fit into 8"),
        (8, 0, "split", "two blocks of 0 repeats"),
        (8, 2, "halves", "'halves' is not a design"),
        (40, 8, "all_pairs", "76904685 blocks of 8 of 40 repeats are too many"),
    ],
)
def test_blocks_that_do_not_fit_are_refused(repeats: int, k: int, design: str, said: str) -> None:
    with pytest.raises(InputError, match=said):
        blocks_of(repeats, k, design)


def test_a_cost_of_an_unknown_action_is_refused() -> None:
    with pytest.raises(InputError, match="'rerun' is not an action"):
        measured(panel_of(np.zeros((1, 2, 2))), 1, "split", Rule(costs={"rerun": 0.1}))


def test_census_of_one_pair() -> None:
    found = census([(0b011, 0b110)], 3)
    assert (found["agreement"], found["common_action"], found["mean_size"]) == (0, 1, 2)
    assert (found["jaccard"], found["uniform_choice"], found["size_reference"]) == pytest.approx((1 / 3, 1 / 4, 1 / 3))
