"""A frozen rule of expansion, evaluated: its edges, what it does not know, and the paper's own figures."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import pytest
from made_cells import cell, golden_rows

from analysis.cells import CENSORED, VERIFIED
from analysis.expansion import ArmFacts, cost_increase, expand, macro_difference

RULE = {"treatment": "t", "baseline": "b", "min_gain": 0.05, "min_recovered": 2, "max_cost_increase": 0.2}


def arm(passes: int, cost: float | None, recovered: int | None = 0, tasks: int = 4) -> ArmFacts:
    """Attempts at ``tasks`` tasks, five each, of which the first ones passed."""
    cells = []
    for task in range(tasks):
        mine = [n < passes for n in range(5 * task, 5 * task + 5)]
        cells.append(cell([(VERIFIED if ok else CENSORED, 20) for ok in mine], task=f"t{task}"))
    return ArmFacts(cells, cost, recovered)


def answer(baseline: ArmFacts, treatment: ArmFacts) -> tuple[str, dict[str, Any]]:
    found = expand(RULE, baseline, treatment)
    return found["answer"], {clause["name"]: clause["met"] for clause in found["clauses"]}


def test_the_papers_figures_answer_no() -> None:
    found = expand(RULE, arm(1, 0.03786), arm(0, 0.05934))
    gain, recovered, cost = found["clauses"]
    assert found["answer"] == "no"
    assert (gain["value"], gain["met"]) == (pytest.approx(-0.05), False)
    assert (recovered["value"], recovered["met"]) == (0, False)
    assert (cost["value"], cost["met"]) == (pytest.approx(golden_rows("timing_values")["ctx_cost"]["computed"]), False)
    assert cost_increase(309.5, 512.8) == pytest.approx(golden_rows("timing_values")["ctx_wall"]["computed"])


@pytest.mark.parametrize(
    ("before", "after", "said"),
    [
        ((1, 1.0), (2, 1.2), "yes"),  # both edges are within the rule
        ((1, 1.0), (2, 1.21), "no"),
        ((1, 1.0), (1, 1.0), "no"),
        ((1, 1.0), (2, 0.5), "yes"),
        ((1, 1.0), (2, None), "undecided"),
        ((1, 1.0), (1, None), "no"),  # whatever it cost
        ((1, 0.0), (2, 1.0), "undecided"),
    ],
)
def test_edges(before: tuple[int, float], after: tuple[int, float | None], said: str) -> None:
    assert answer(arm(*before), arm(*after))[0] == said


def test_two_recovered_attempts_are_enough_and_one_is_not() -> None:
    assert answer(arm(3, 1.0), arm(3, 1.0, recovered=2))[0] == "yes"
    assert answer(arm(3, 1.0), arm(3, 1.0, recovered=1))[0] == "no"
    assert answer(arm(3, 1.0), arm(3, 1.0, recovered=None)) == (
        "undecided", {"gain": False, "recovered": None, "cost_increase": True},
    )  # fmt: skip
    assert answer(arm(3, 1.0), arm(5, 1.0, recovered=None))[0] == "yes"


def test_the_gain_is_a_mean_over_tasks_and_exact() -> None:
    failed = [cell([(CENSORED, 30)], task="t0"), cell([(CENSORED, 30)] * 3, task="t1")]
    uneven = [cell([(VERIFIED, 5)], task="t0"), failed[1]]
    assert macro_difference(uneven, failed) == Fraction(1, 2)
    assert macro_difference(uneven, failed[:1]) is None


@pytest.mark.parametrize(("before", "after"), [(None, 1.0), (1.0, None), (0.0, 1.0)])
def test_an_increase_over_nothing_or_the_unknown_is_unknown(before: float | None, after: float | None) -> None:
    assert cost_increase(before, after) is None
