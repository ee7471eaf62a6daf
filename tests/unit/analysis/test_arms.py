"""Counting of the arms against a plain reading of the definitions, and refusal of incomplete observation."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from made_cells import attempts, cell

from analysis import arms
from analysis.cells import CENSORED, TERMINAL, VERIFIED
from analysis.errors import InputError, NotIdentified

H = 12
TABLES = st.lists(attempts(H), min_size=1, max_size=4)
DECISIONS = st.integers(2, H).flatmap(lambda budget: st.tuples(st.integers(1, budget - 1), st.just(budget)))


def pool(table: list[list[tuple[int, int]]], budget: int) -> arms.Pool:
    return arms.pool_of([cell(rows, horizon=H, task=str(i)) for i, rows in enumerate(table)], budget)


def is_live(attempt: tuple[int, int], t: int) -> bool:
    event, call = attempt
    return not (event in (VERIFIED, TERMINAL) and call <= t)


def passes(attempt: tuple[int, int], within: int) -> bool:
    return attempt[0] == VERIFIED and attempt[1] <= within


@given(table=TABLES, decision=DECISIONS)
def test_one_pool_counts(table: list[list[tuple[int, int]]], decision: tuple[int, int]) -> None:
    t, budget = decision
    found = arms.one_pool(pool(table, budget), t, budget)
    for i, rows in enumerate(table):
        live = [row for row in rows if is_live(row, t)]
        expected = (
            sum(passes(r, budget - t) for r in rows),
            len(rows),
            sum(passes(r, budget) for r in live),
            len(live),
        )
        assert (found.x[i], found.n[i], found.y[i], found.m[i]) == expected


@given(table=TABLES, decision=DECISIONS)
def test_split_uses_each_attempt_in_one_arm(table: list[list[tuple[int, int]]], decision: tuple[int, int]) -> None:
    t, budget = decision
    found = arms.split(pool(table, budget), t, budget)
    for i, rows in enumerate(table):
        live = [row for row in rows[1::2] if is_live(row, t)]
        assert (found.x[i], found.n[i]) == (sum(passes(r, budget - t) for r in rows[::2]), len(rows[::2]))
        assert (found.y[i], found.m[i]) == (sum(passes(r, budget) for r in live), len(live))


@given(table=TABLES, decision=DECISIONS)
def test_pairs_are_those_of_going_through_the_attempts(
    table: list[list[tuple[int, int]]], decision: tuple[int, int]
) -> None:
    t, budget = decision
    found = arms.paired(pool(table, budget), t, budget)
    assert found.pairs is not None
    for i, rows in enumerate(table):
        waiting: tuple[int, int] | None = None
        differences = []
        for row in rows:
            if waiting is not None:
                differences.append(int(passes(row, budget - t)) - int(passes(waiting, budget)))
                waiting = None
            elif is_live(row, t):
                waiting = row
        part = found.pairs.difference[found.pairs.start[i] : found.pairs.start[i + 1]]
        assert part.tolist() == differences
        assert (found.pairs.plus[i], found.pairs.minus[i]) == (differences.count(1), differences.count(-1))
        assert found.n[i] == found.m[i] == len(differences)
        assert found.x[i] - found.y[i] == sum(differences)


@given(table=TABLES, decision=DECISIONS, seed=st.integers(0, 99))
def test_permuting_attempts_changes_no_count_of_one_pool(
    table: list[list[tuple[int, int]]], decision: tuple[int, int], seed: int
) -> None:
    t, budget = decision
    rng = np.random.default_rng(seed)
    shuffled = [[rows[i] for i in rng.permutation(len(rows))] for rows in table]
    first = arms.one_pool(pool(table, budget), t, budget)
    second = arms.one_pool(pool(shuffled, budget), t, budget)
    for name in ("x", "n", "y", "m"):
        assert (getattr(first, name) == getattr(second, name)).all()


def test_a_later_terminal_is_a_failed_continuation() -> None:
    found = arms.one_pool(pool([[(TERMINAL, 7), (VERIFIED, 7), (TERMINAL, 3)]], 10), 4, 10)
    assert (found.y[0], found.m[0]) == (1, 2)


def test_a_horizon_below_the_budget_is_refused_whatever_the_outcome() -> None:
    early = cell([(VERIFIED, 1)], horizon=20, task="cut")
    with pytest.raises(InputError, match=r"(?s)--budget: 30 exceeds the horizon 20 .*task cut.*at most 20"):
        arms.pool_of([cell([(VERIFIED, 1)]), early], 30)


def test_censoring_before_the_budget_is_refused_with_what_is_known() -> None:
    cells = [cell([(CENSORED, 30), (CENSORED, 17), (VERIFIED, 3)], task="costly")]
    with pytest.raises(NotIdentified, match="task costly") as refusal:
        arms.pool_of(cells, 30)
    assert refusal.value.known == {"observed_through": 17, "censored_early": 1}
    assert arms.one_pool(arms.pool_of(cells, 17), 5, 17).m.tolist() == [2]


def test_cells_without_attempts_stay_in_the_family() -> None:
    found = arms.one_pool(arms.pool_of([cell([], task="none"), cell([(VERIFIED, 3)])], 10), 2, 10)
    assert found.n.tolist() == [0, 1]
    assert arms.one_pool(arms.pool_of([cell([])], 10), 2, 10).n.tolist() == [0]
