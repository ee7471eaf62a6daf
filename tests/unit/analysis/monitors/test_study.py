"""The parts of a monitor stage's document that have a value by hand."""

from __future__ import annotations

import numpy as np
import pytest
from made_cells import cell

from analysis.alarm_table import Readings
from analysis.arms import pool_of
from analysis.cells import CENSORED, VERIFIED
from analysis.monitors.acted import success_document
from analysis.monitors.document import Choices
from analysis.monitors.regret import action_regret
from analysis.monitors.reliability import reliability
from analysis.monitors.watched import Watched
from analysis.value import decision_regret

H = 10
#: Restarting at call 4 is right in the first task (p = 1/2, q = 0) and wrong in the second (p = 0, q = 1).
CELLS = [
    cell([(VERIFIED, 3), (VERIFIED, 2), (CENSORED, H), (CENSORED, H)], horizon=H, task="a"),
    cell([(VERIFIED, 8), (VERIFIED, 9)], horizon=H, task="b"),
]


def seen(scores: dict[int, float]) -> Watched:
    readings = Readings(
        np.array(sorted(scores)), np.full(len(scores), 4), np.array([scores[i] for i in sorted(scores)]),
        np.full(len(scores), -1, dtype=np.int8),
    )  # fmt: skip
    return Watched(readings, np.zeros(len(scores), dtype=np.int64), len(scores))


@pytest.mark.parametrize(
    ("scores", "regret"),
    [
        ({2: 0.0, 3: 0.0, 4: 0.0, 5: 0.0}, 0.125),  # continues all: loses half of the two live of task a
        ({2: 1.0, 3: 1.0, 4: 0.0, 5: 0.0}, 0.0),
        ({2: 1.0, 3: 1.0, 4: 1.0, 5: 1.0}, 0.5),
        ({2: 1.0, 3: 0.0, 4: 1.0, 5: 0.0}, 0.0625 + 0.25),
    ],
)
def test_regret_is_the_value_of_the_better_action_lost(scores: dict[int, float], regret: float) -> None:
    pool = pool_of(CELLS, H)
    found = action_regret(pool, seen(scores), 1.0, 4, H, replicates=100, seed=1)
    assert found.value == pytest.approx(regret)
    delta, share = [-0.5, -0.5, 1.0, 1.0], [0.25, 0.25, 0.5, 0.5]
    chose = [scores[i] >= 1.0 for i in (2, 3, 4, 5)]
    assert found.value == pytest.approx(decision_regret(delta, chose, share) * sum(share) / 2)


def test_success_is_a_mean_over_tasks_and_contrasts_are_paired() -> None:
    other = [
        cell([(VERIFIED, 3)], horizon=H, task="a", arm="monitor"),
        cell([(VERIFIED, 8), (CENSORED, H)], horizon=H, task="b", arm="monitor"),
    ]
    found = success_document({"continuation": CELLS, "monitor": other}, Choices(H, [4], 1.0, replicates=100))
    assert [row["value"] for row in found["arms"]] == [pytest.approx(0.75), pytest.approx(0.75)]
    (contrast,) = found["contrasts"]
    assert (contrast["of"], contrast["against"], contrast["tasks"]) == ("monitor", "continuation", 2)
    assert contrast["value"] == pytest.approx(0)
    # Attempts are drawn too: a task whose attempts differ widens the interval beyond that of drawing tasks alone.
    assert contrast["low"] < -0.5 and contrast["high"] > 0.5


def test_reliability_is_cut_on_the_calibration_scores() -> None:
    pool = pool_of(CELLS, H)
    one = seen({2: 3.0, 3: 3.0, 4: 1.0, 5: 1.0})
    rows = reliability({"calibration": (pool, one), "held-out": (pool, seen({2: 1.0, 4: 5.0}))}, H, "calibration")
    assert [row["from"] for row in rows] == [1.0, 3.0]
    assert [[group["failing"] for group in row["groups"]] for row in rows] == [[0.0, 1.0], [1.0, 0.0]]
    assert [[group["attempts"] for group in row["groups"]] for row in rows] == [[2, 1], [2, 1]]
