"""Relations, permuted bindings, release gates and ceilings."""

from __future__ import annotations

from dataclasses import replace
from itertools import permutations as orders

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from analysis.errors import InputError
from analysis.readout.best_sets import best_sets
from analysis.readout.binding import bound, collisions
from analysis.readout.collisions import ceiling
from analysis.readout.gates import RULES, gates
from analysis.readout.panel import panel_of
from analysis.readout.readout import Settings, readout
from analysis.readout.relations import (
    DIRECT,
    DISCORDANT,
    OVERLAP,
    associations,
    crossed_with_outcome,
    relation_counts,
    relations,
)

codes = st.integers(1, 7)


@given(codes, codes)
def test_relations_of_sets(reference: int, live: int) -> None:
    one, two = ({a for a in range(3) if code >> a & 1} for code in (reference, live))
    found = int(relations(np.array(reference), np.array(live)))
    expected = DISCORDANT if not one & two else DIRECT if one == two and len(one) == 1 else OVERLAP
    assert found == expected


def test_relations_crossed_with_outcomes() -> None:
    found = crossed_with_outcome(np.array([0, 1, 1, 2]), np.array([[1, 1], [0, 0], [0, 1], [1, 0.5]]))
    assert found["direct"] == {"cells": 1, "all_success": 1, "partial": 0, "all_fail": 0}
    assert found["overlap"] == {"cells": 2, "all_success": 0, "partial": 1, "all_fail": 1}
    assert found["discordant"]["partial"] == 1
    assert relation_counts(np.array([0, 1, 1, 2])) == {"direct": 1, "overlap": 2, "discordant": 1}


@pytest.mark.parametrize("seed", [4, 6, 8])
def test_permutations_of_three_cells_are_what_all_orders_give(seed: int) -> None:
    """Every order is about as frequent, so the medians are those of the listed orders where both middle ones agree."""
    rng = np.random.default_rng(seed)
    live = rng.integers(0, 2, (3, 2, 3)).astype(float)
    reference = np.array([1, 2, 3])
    sums = live.sum(axis=2)
    keyed = relations(reference, best_sets(sums[:, :, None], 3)[:, 0])
    changed, direct = [], []
    for order in orders(range(3)):
        moved = relations(reference, best_sets(sums[list(order), :, None], 3)[:, 0])
        changed.append((moved != keyed).mean())
        direct.append((moved == DIRECT).mean())
    exact, shared, _ = associations(reference, live, scope="all", permutations=3001, seed=1)
    assert (exact.changed, exact.direct) == (0.0, (keyed == DIRECT).mean())
    for found, every in ((shared.changed, changed), (shared.direct, direct)):
        middle = sorted(every)[2:4]
        assert found in (pytest.approx(middle[0]), pytest.approx(middle[1]))


@settings(max_examples=25, deadline=None)
@given(st.integers(0, 1000))
def test_identical_cells_cannot_be_told_from_permuted_ones(seed: int) -> None:
    live = np.tile(np.random.default_rng(seed).integers(0, 2, (1, 3, 4)).astype(float), (6, 1, 1))
    for found in associations(np.full(6, 1), live, scope="all", permutations=20, seed=seed):
        assert found.changed == 0


def test_a_scope_keeps_cells_in_their_group() -> None:
    live = np.zeros((4, 2, 3))
    live[[0, 1], 0] = 1  # the first group has one winner, the second another
    live[[2, 3], 1] = 1
    reference = np.array([1, 1, 2, 2])
    inside = associations(reference, live, groups=["a", "a", "b", "b"], permutations=200)
    assert [found.direct for found in inside] == [1.0, 1.0, 1.0]
    over_all = associations(reference, live, scope="all", permutations=200)
    assert over_all[1].changed > 0
    with pytest.raises(InputError, match="is needed to permute within groups"):
        associations(reference, live)
    with pytest.raises(InputError, match="'fault' is not a scope"):
        associations(reference, live, scope="fault")


def test_independent_permutations_make_sets_that_no_cell_has() -> None:
    """The marginal outcomes of every action stay; which cell they belong to does not."""
    live = np.zeros((2, 2, 1))
    live[0, 0] = live[1, 1] = 1  # whenever one action fails the other one works
    found = associations(np.array([1, 2]), live, scope="all", permutations=2000, seed=5)
    exact, shared, independent = found
    assert (exact.direct, exact.mean_size) == (1.0, 1.0)
    assert shared.mean_size == 1.0
    # Half of the independent permutations pair success with success and failure with failure.
    assert independent.mean_size in (1.0, 2.0)
    sizes = {associations(np.array([1, 2]), live, scope="all", permutations=1, seed=seed)[2].mean_size
             for seed in range(20)}  # fmt: skip
    assert sizes == {1.0, 2.0}


@given(st.lists(st.tuples(codes, codes), min_size=1, max_size=20))
def test_every_gate_disposes_of_every_cell(sets: list[tuple[int, int]]) -> None:
    reference, live = np.array(sets).T
    found = {gate.rule: gate for gate in gates(reference, live)}
    assert tuple(found) == RULES
    counts = relation_counts(relations(reference, live))
    keyed = found["exact_keyed"]
    assert (keyed.release, keyed.hold, keyed.reject) == tuple(counts.values())
    assert (keyed.agreement, keyed.extra) == (1.0, 0.0)
    for gate in found.values():
        assert gate.release + gate.hold + gate.reject == len(sets)
        assert gate.release >= keyed.release or gate.rule == "record_erased"
        assert gate.extra <= 1 - gate.agreement + 1e-12
    assert found["set_membership"].release == counts["direct"] + counts["overlap"]
    assert found["serialized_top1"].release <= found["set_membership"].release


def test_a_ceiling_is_the_best_constant_choice_of_each_key() -> None:
    keys = ["x", "x", "x", "y", "y"]
    sets = np.array([1, 1, 2, 3, 2])
    utility = np.array([[1, 0], [1, 0], [0, 1], [0.5, 0.5], [0, 1]], float)
    found = ceiling(keys, sets, utility)
    assert found == (2, pytest.approx(4 / 5), pytest.approx((2 + 1.5) / 5), pytest.approx((4.5 - 3.5) / 5))
    assert ceiling([str(i) for i in range(5)], sets, utility).regret == pytest.approx(0)


def test_binding_of_a_panel_to_itself_and_to_a_reference() -> None:
    rng = np.random.default_rng(9)
    panel = replace(panel_of(rng.integers(0, 2, (6, 3, 8)).astype(float)), tasks=("t", "t", "u", "u", "v", "v"))
    found = readout(panel, Settings(replicates=100))
    own = bound(found, permutations=50)
    assert own["reading"] == "selection half against evaluation half"
    assert own["scope"] == "within tasks"
    assert sum(own["relations"].values()) == 6
    sets = [best_sets(panel.select[:, :, half].sum(axis=2)[:, :, None], 4)[:, 0] for half in (range(4), range(4, 8))]
    assert own["relations"] == relation_counts(relations(*sets))
    against = bound(found, panel, permutations=50)
    assert against["relations"]["discordant"] == 0
    assert against["associations"][0]["direct"] == pytest.approx(
        (np.bitwise_count(best_sets(panel.select.sum(axis=2)[:, :, None], 8)) == 1).mean()
    )
    with pytest.raises(InputError, match="other checkpoints or actions"):
        bound(found, panel_of(np.zeros((2, 3, 8))))
    assert collisions(found) is None
    keyed = collisions(readout(replace(panel, keys=tuple("ababab")), Settings(replicates=100)))
    assert keyed is not None and keyed["classes"] == 2
