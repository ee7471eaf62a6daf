"""What representations of a state are worth: known answers, and the identity of section 3 as a property."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from analysis.checkpoints.representations import representation_values, tertiles
from analysis.errors import InputError
from analysis.readout.panel import Panel, panel_of
from analysis.value import decision_regret, information_loss


def panel(restart: np.ndarray, cont: np.ndarray, tasks: tuple[str, ...] | None = None) -> Panel:
    made = panel_of(np.stack([restart, cont], axis=1).astype(float), actions=("restart", "continue"))
    return Panel(**{**vars(made), "tasks": tasks})


def rows(made: Panel, features: dict[str, list[str]], **settings_: object) -> dict[str, object]:
    found = representation_values(made, "restart", "continue", features, replicates=200, **settings_)  # type: ignore
    return {row.name: row for row in found}


def test_a_task_that_tells_all_and_one_that_tells_nothing() -> None:
    ones, zeros = np.ones((2, 4)), np.zeros((2, 4))
    made = panel(np.concatenate([ones, zeros]), np.concatenate([zeros, ones]), ("a", "a", "b", "b"))
    found = rows(made, {"task": ["a", "a", "b", "b"], "mixed": ["x", "y", "x", "y"]})
    assert list(found) == ["nothing", "task", "mixed", "state"]
    for name, value, lost in (("nothing", 0.0, 0.5), ("task", 0.5, 0.0), ("mixed", 0.0, 0.5), ("state", 0.5, 0.0)):
        row = found[name]
        assert row.value.value == value and row.lost.value == lost, name  # type: ignore[attr-defined]
        assert row.held_out.value == value, name  # type: ignore[attr-defined]
    assert found["task"].classes == 2 and found["state"].classes == 4  # type: ignore[attr-defined]


def test_acquiring_costs_and_doing_nothing_does_not() -> None:
    made = panel(np.ones((2, 4)), np.zeros((2, 4)), ("a", "b"))
    found = rows(made, {"task": ["a", "b"]}, kappa=0.25)
    assert found["nothing"].held_out.value == 1.0  # type: ignore[attr-defined]
    assert found["task"].held_out.value == 0.75  # type: ignore[attr-defined]


@settings(max_examples=60, deadline=None)
@given(
    st.integers(1, 7).flatmap(
        lambda n: st.tuples(
            st.lists(st.lists(st.booleans(), min_size=4, max_size=4), min_size=n, max_size=n),
            st.lists(st.lists(st.booleans(), min_size=4, max_size=4), min_size=n, max_size=n),
            st.lists(st.sampled_from("xyz"), min_size=n, max_size=n),
        )
    )
)
def test_lost_is_the_information_and_the_regret_of_the_policy(
    drawn: tuple[list[list[bool]], list[list[bool]], list[str]],
) -> None:
    restart, cont, feature = (np.array(part) for part in drawn)
    made = panel(restart, cont)
    row = rows(made, {"g": feature.tolist()})["g"]
    advantage = restart.mean(axis=1) - cont.mean(axis=1)
    states = list(range(len(advantage)))
    assert row.lost.value == pytest.approx(information_loss(advantage, states, feature.tolist()))  # type: ignore
    mean = {g: advantage[feature == g].mean() for g in set(feature.tolist())}
    half = (np.abs(advantage).mean() - np.abs([mean[g] for g in feature]).mean()) / 2
    assert row.lost.value == pytest.approx(half)  # type: ignore[attr-defined]
    chose = np.array([mean[g] > 0 for g in feature])
    assert row.lost.value == pytest.approx(decision_regret(-advantage, chose))  # type: ignore[attr-defined]
    assert row.lost.value >= -1e-12  # type: ignore[attr-defined]


def test_intervals_need_two_tasks() -> None:
    made = panel(np.ones((3, 2)), np.zeros((3, 2)), ("a", "a", "a"))
    row = rows(made, {})["state"]
    assert row.value.value == 1.0 and row.value.low is None  # type: ignore[attr-defined]


def test_a_representation_of_another_length_is_refused() -> None:
    with pytest.raises(InputError, match="1 values of 2 checkpoints"):
        rows(panel(np.ones((2, 2)), np.zeros((2, 2))), {"g": ["x"]})


def test_tertiles() -> None:
    assert tertiles([1, 2, 3, 4, 5, 6]) == ["low", "low", "middle", "middle", "high", "high"]
    assert set(tertiles([7, 7, 7])) == {"low"}
