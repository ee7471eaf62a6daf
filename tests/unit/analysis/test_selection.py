"""Groups, best cutoffs, leave-one-task-out."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from made_cells import cell

from analysis.cells import VERIFIED
from analysis.errors import InputError
from analysis.groups import groups_of
from analysis.selection import best_cutoffs, leave_one_task_out

ROWS = [(VERIFIED, 3)]


def test_ties_go_to_the_longer_cutoff() -> None:
    values = np.array([[0.2, 0.4, 0.4], [0.5, 0.3, 0.3], [0.0, 0.1 + 1e-15, 0.1]])
    assert best_cutoffs(values.mean(axis=0), [8, 16, 30]) == [16, 30]
    found = leave_one_task_out(values, ["a", "b", "c"], [8, 16, 30])
    # Without a: 0.25, 0.2, 0.2; without b: 0.1, 0.25, 0.25; without c: 0.35 three times.
    assert [(fold.task, fold.cutoff) for fold in found.folds] == [("a", 8), ("b", 30), ("c", 30)]
    assert found.value == pytest.approx((0.2 + 0.3 + 0.1) / 3)
    with pytest.raises(InputError, match="needs two tasks"):
        leave_one_task_out(values[:1], ["a"], [8, 16, 30])


def test_groups_are_one_runtime_and_arm() -> None:
    cells = [cell(ROWS, task=task, runtime=runtime, arm=arm) for task in "ba" for runtime in "sr" for arm in "yx"]
    groups = groups_of(cells)
    assert [(group.runtime, group.arm, group.tasks) for group in groups] == [
        (runtime, arm, ("a", "b")) for runtime in "rs" for arm in "xy"
    ]


def test_stages_are_pooled_only_when_named() -> None:
    cells = [cell(ROWS, stage="s1", task="a"), cell(ROWS, stage="s2", task="b")]
    with pytest.raises(InputError, match=r"several stages \(s1, s2\), and stages are not pooled unasked"):
        groups_of(cells)
    (group,) = groups_of(cells, ["s1", "s2"])
    assert (group.stages, group.tasks) == (("s1", "s2"), ("a", "b"))


def test_a_task_counts_once() -> None:
    cells = [cell(ROWS, stage="s1"), cell(ROWS, stage="s2")]
    with pytest.raises(InputError, match="task one would count twice"):
        groups_of(cells, ["s1", "s2"])


def test_synthetic_attempts_stay_apart() -> None:
    one, other = cell(ROWS, task="a"), cell(ROWS, task="b")
    other = replace(other, key=other.key._replace(origin="synthetic"))
    with pytest.raises(InputError, match="synthetic attempts beside others"):
        groups_of([one, other])
