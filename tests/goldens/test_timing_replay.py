"""Completion, replay, selection and bootstrap against what the timing paper prints.

The rows of audit, intervals and alarms are in test_timing_audit.py; ``LEFT_OUT`` lists those that name no equation,
statistic or policy.
"""

from __future__ import annotations

import json
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from analysis.bootstrap import resampled
from analysis.cells import CENSORED, VERIFIED, Cell, CellKey, cells_of
from analysis.completion import completion_curve, continuation, event_counts, solved_by
from analysis.contrasts import arm_contrast, policy_contrasts
from analysis.groups import Group, groups_of
from analysis.replay import policy_values, replay
from analysis.schedules import Schedule, fixed, geometric, insurance, luby, single
from analysis.selection import best_cutoffs, leave_one_task_out, macro_values
from analysis.table import EventTable

DATA = Path(__file__).parent / "data"
CUTOFFS = list(range(4, 31, 2))
PILOT, HIGH, STRESS, LONG = "pilot30", "highid30", "stress30", "horizon60"
POOLED = (PILOT, HIGH, STRESS)
#: Half of the last digit that is printed, in points.
PRINTED = 0.005 + 1e-9

#: Rows of timing_values.json that only add, count or divide numbers printed elsewhere.
LEFT_OUT = {"n130", "cells26", "M156", "live103_53", "fmt17", "fmt14", "ctx_cost", "ctx_wall"}


@cache
def table() -> EventTable:
    return EventTable.read([DATA / "timing_attempts.csv"])


@cache
def group(runtime: str, *stages: str) -> Group:
    (found,) = groups_of(cells_of(table(), stages=stages, runtimes=[runtime]), stages)
    return found


@cache
def published() -> dict[str, Any]:
    return {row["quantity"]: row for row in json.loads((DATA / "timing_published.json").read_text())}


@cache
def values() -> dict[str, Any]:
    return {row["key"]: row for row in json.loads((DATA / "timing_values.json").read_text())}


def macro(of: Group, *policies: Schedule, budget: int = 30) -> list[float]:
    """Macro values in points."""
    return [100 * float(value) for value in macro_values(replay(of.cells, policies, budget))]


def by_cutoff(of: Group) -> np.ndarray:
    return replay(of.cells, [fixed(cutoff) for cutoff in CUTOFFS], 30)


def check(quantity: str, got: Any, tolerance: float = PRINTED) -> None:
    """Against the printed value and, to its four decimals, the reconstruction's."""
    row = published()[quantity]
    np.testing.assert_allclose(got, row["published"], atol=tolerance, rtol=0)
    np.testing.assert_allclose(got, row["reproduced"], atol=6e-5, rtol=0)


LUNA, DEEPSEEK, ALL = (group("luna", PILOT), group("deepseek", PILOT), group("luna", *POOLED))


def test_solved_counts() -> None:
    check("Luna solved of 35", solved_by(LUNA.cells, 30))
    check("DeepSeek solved of 35", solved_by(DEEPSEEK.cells, 30))
    check("high-ID solved by call 15 of 35", solved_by(group("luna", HIGH).cells, 15))
    check("stress solved of 25", solved_by(group("luna", STRESS).cells, 30))


@pytest.mark.parametrize(
    ("quantity", "of", "cutoff"),
    [
        ("Luna fixed 30", LUNA, 30),
        ("Luna fixed 16", LUNA, 16),
        ("Luna fixed 18", LUNA, 18),
        ("Luna fixed 20", LUNA, 20),
        ("DeepSeek fixed 30", DEEPSEEK, 30),
        ("DeepSeek fixed 16", DEEPSEEK, 16),
        ("Pooled19 fixed 16", ALL, 16),
        ("Pooled19 fixed 30", ALL, 30),
        ("Pooled19 fixed 24", ALL, 24),
    ],
)
def test_fixed_cutoffs(quantity: str, of: Group, cutoff: int) -> None:
    check(quantity, macro(of, fixed(cutoff))[0])


def test_effect_of_cutoff_16() -> None:
    (contrast,) = policy_contrasts(DEEPSEEK.cells, [fixed(16)], fixed(30), 30)
    check("DeepSeek effect 16-30", 100 * contrast.difference)


@pytest.mark.parametrize(
    ("quantity", "of"), [("Luna best cutoffs", LUNA), ("DeepSeek best cutoff", DEEPSEEK), ("Pooled19 best cutoff", ALL)]
)
def test_best_cutoffs(quantity: str, of: Group) -> None:
    assert best_cutoffs(macro_values(by_cutoff(of)), CUTOFFS) == published()[quantity]["published"]


def test_leave_one_task_out() -> None:
    found = leave_one_task_out(by_cutoff(LUNA), LUNA.tasks, CUTOFFS)
    check("Luna LOTO", 100 * found.value)
    check("Luna LOTO diff", 100 * found.value - macro(LUNA, fixed(30))[0])
    picks = {fold.task: fold.cutoff for fold in found.folds}
    assert str(picks) in published()["Luna LOTO"]["note"]
    check("LOTO fold 24443 cutoff", picks["24443"])
    check("24443 at cutoff 10", 100 * next(fold.value for fold in found.folds if fold.task == "24443"))

    found = leave_one_task_out(by_cutoff(DEEPSEEK), DEEPSEEK.tasks, CUTOFFS)
    assert [fold.cutoff for fold in found.folds] == published()["DeepSeek LOTO picks all 30"]["published"]
    check("DeepSeek LOTO value", 100 * found.value)

    found = leave_one_task_out(by_cutoff(ALL), ALL.tasks, CUTOFFS)
    check("Pooled19 LOTO", 100 * found.value)
    assert str(sorted({fold.cutoff for fold in found.folds})) == published()["Pooled19 LOTO"]["note"]
    check("Pooled LOTO diff", 100 * found.value - macro(ALL, fixed(30))[0])


def test_insurance() -> None:
    probes, long = macro(ALL, insurance([15, 15, 30]), insurance([30, 30]), budget=60)
    check("Insurance 15,15,30 @60", probes)
    check("30,30 @60", long)
    check("Insurance diff", probes - long)


def test_prospective_cohorts() -> None:
    check("stress fixed16/30", macro(group("luna", STRESS), fixed(16), fixed(30)))
    check("high-ID fixed16/30", macro(group("luna", HIGH), fixed(16), fixed(30)))


def test_geometric_and_luby() -> None:
    # The paper drew 50,000 episode sequences; its last digits are noise of about three standard errors.
    check("Luna geometric (2,4,8,16)", macro(LUNA, geometric(2, 2))[0], 0.05)
    check("DeepSeek geometric", macro(DEEPSEEK, geometric(2, 2))[0], 0.05)
    scales = macro(LUNA, luby(1), luby(2), luby(4))
    check("Luna Luby min/max over u in {1,2,4}", [min(scales), max(scales)], 0.05)
    assert published()["Luna Luby min/max over u in {1,2,4}"]["note"] == f"all {np.array(scales).round(3)}"
    check("DeepSeek Luby max", max(macro(DEEPSEEK, luby(1), luby(2), luby(4))))
    assert macro(LUNA, insurance([2, 4, 8, 16])) == pytest.approx(macro(LUNA, geometric(2, 2)), abs=1e-12)


@pytest.mark.parametrize(
    ("quantity", "of", "policy", "budget", "step"),
    [
        ("Luna boot CI", LUNA, fixed(16), 30, 100 / 25 / 7),
        ("DeepSeek boot CI", DEEPSEEK, fixed(16), 30, 100 / 25 / 7),
        ("Pooled19 boot CI", ALL, fixed(16), 30, 100 / 25 / 19),
        ("Insurance boot CI", ALL, insurance([15, 15, 30]), 60, 100 / 125 / 19),
    ],
)
def test_bootstrap_ends(quantity: str, of: Group, policy: Schedule, budget: int, step: float) -> None:
    """Exact ends equal the reconstruction's; the printed Monte Carlo ends are at most one lattice step away."""
    (exact,) = policy_contrasts(of.cells, [policy], fixed(30), budget)
    ends = [100 * exact.interval.low, 100 * exact.interval.high]
    assert exact.interval.seed is None
    np.testing.assert_allclose(ends, published()[quantity]["reproduced"], atol=6e-5)
    np.testing.assert_allclose(ends, published()[quantity]["published"], atol=step + PRINTED)
    (drawn,) = policy_contrasts(of.cells, [policy], fixed(30), budget, most=0, seed=1)
    assert (drawn.interval.seed, drawn.interval.replicates) == (1, 10_000)
    np.testing.assert_allclose([100 * drawn.interval.low, 100 * drawn.interval.high], ends, atol=step + 1e-9)


@pytest.mark.parametrize(
    ("quantity", "of", "policy", "budget", "shares"),
    [
        ("Luna boot CI", LUNA, fixed(16), 30, [0.4934, 0.0, 0.9819, 0.96]),
        ("DeepSeek boot CI", DEEPSEEK, fixed(16), 30, [0.0266, 0.0249, 0.9745, 0.9716]),
        ("Pooled19 boot CI", ALL, fixed(16), 30, [0.0367, 0.0186, 0.9866, 0.9745]),
        ("Insurance boot CI", ALL, insurance([15, 15, 30]), 60, [0.0319, 0.0198, 0.9769, None]),
    ],
)
def test_exact_bootstrap_law(
    quantity: str, of: Group, policy: Schedule, budget: int, shares: list[float | None]
) -> None:
    """P(X <= end) and P(X < end) at both printed ends are those of the goldens' notes."""
    found = resampled(of.cells, budget, lambda passes, ends: policy_values(passes, ends, [policy, fixed(30)]))
    law = found.exact(0, 1)
    assert law is not None
    for end, up_to, below in zip(published()[quantity]["published"], shares[::2], shares[1::2], strict=True):
        # The lattice point that was printed with two decimals.
        point = law.values[np.abs(100 * law.values - end).argmin()]
        assert law.at_most(point) == pytest.approx(up_to, abs=5e-5)
        if below is not None:
            assert law.at_most(point - 1e-6) == pytest.approx(below, abs=5e-5)


def test_positive_fractions() -> None:
    for quantity, of in (("Luna positive fraction", LUNA), ("Pooled19 positive fraction", ALL)):
        (contrast,) = policy_contrasts(of.cells, [fixed(16)], fixed(30), 30)
        # Three standard errors of 10,000 replicates.
        check(quantity, contrast.interval.positive, 0.015)


def test_extension() -> None:
    of = group("luna", LONG)
    counts = event_counts(of.cells)
    late = event_counts(of.cells, after=30)
    check(
        "ext: format failures, after 30, limits, pass",
        [counts.terminal, late.terminal, counts.censored, counts.verified],
    )
    thirty, once, recycled = macro(of, fixed(30), single(), fixed(60), budget=60)
    check("ext fixed 30 @60", thirty)
    check("ext single 60", once)
    check("ext 60 with terminal recycling", recycled)
    # What restarts seem to gain is what terminals release.
    assert macro(of, fixed(60, release=False), budget=60)[0] == pytest.approx(once, abs=1e-12)


def law_cell(*first_passes: int | None, horizon: int = 30) -> Cell:
    event = np.array([CENSORED if call is None else VERIFIED for call in first_passes], np.int8)
    call = np.array([horizon if call is None else call for call in first_passes])
    key = CellKey("law", "", "synthetic", "law", "baseline", "task")
    return Cell(key, event, call, np.full(len(call), horizon))


def test_no_cutoff_dominates() -> None:
    """Proposition 3.3, both directions."""
    late = replay([law_cell(11)], [fixed(10), fixed(30)], 30)[0]
    np.testing.assert_allclose(late, values()["prop33_a"]["computed"], atol=1e-12)
    early = replay([law_cell(10, 10, 10, *[None] * 7)], [fixed(10), fixed(30)], 30)[0]
    np.testing.assert_allclose(early, values()["prop33_b"]["computed"], atol=1e-12)


def test_scalars_of_the_text() -> None:
    """Rows of timing_values.json, unrounded."""
    luna, deepseek, pooled = (by_cutoff(of) for of in (LUNA, DEEPSEEK, ALL))
    at = {cutoff: i for i, cutoff in enumerate(CUTOFFS)}

    def mean(of: np.ndarray, cutoff: int) -> float:
        return float(of[:, at[cutoff]].mean())

    task = LUNA.tasks.index
    luna_left = leave_one_task_out(luna, LUNA.tasks, CUTOFFS).value
    pool_left = leave_one_task_out(pooled, ALL.tasks, CUTOFFS).value
    probes, long = (value / 100 for value in macro(ALL, insurance([15, 15, 30]), insurance([30, 30]), budget=60))
    got = {
        "ds_2435": mean(deepseek, 30),
        "luna16_30": mean(luna, 16) - mean(luna, 30),
        "ds16": mean(deepseek, 16),
        "ds_eff": mean(deepseek, 16) - mean(deepseek, 30),
        "loto_luna": luna_left,
        "loto_luna_diff": luna_left - mean(luna, 30),
        "c10_24443": luna[task("24443"), at[10]],
        "pooldiff": mean(pooled, 16) - mean(pooled, 30),
        "pool24": mean(pooled, 24),
        "pool24_diff": mean(pooled, 24) - mean(pooled, 30),
        "poolLOTO": pool_left,
        "poolLOTOdiff": pool_left - mean(pooled, 30),
        "stress16_30": [value / 100 for value in macro(group("luna", STRESS), fixed(16), fixed(30))],
        "insurance": probes,
        "two30": long,
        "ins_diff": probes - long,
        "geo_luna": macro(LUNA, geometric(2, 2))[0] / 100,
    }
    for key, value in got.items():
        np.testing.assert_allclose(value, values()[key]["computed"], atol=1e-12, err_msg=key)
    assert "F_23413(6)=2/5" in values()["pool24"]["note"]
    assert completion_curve(LUNA.cells[task("23413")])[6] == pytest.approx(2 / 5, abs=1e-15)


def test_context_intervention() -> None:
    """Treatment 0 of 20, control 1 of 20: tasks and attempts resampled, both arms by themselves."""
    control = [law_cell(*[None] * 5, horizon=60) for _ in range(4)]
    control[0] = law_cell(20, *[None] * 4, horizon=60)
    arms = []
    for arm, cells in (("treatment", [law_cell(*[None] * 5, horizon=60)] * 4), ("control", control)):
        keys = [cell.key._replace(arm=arm, task=f"task-{i}") for i, cell in enumerate(cells)]
        arms.append([Cell(key, cell.event, cell.call, cell.horizon) for key, cell in zip(keys, cells, strict=True)])
    contrast = arm_contrast(arms[0], arms[1], single(), 60)
    assert contrast.difference == pytest.approx(values()["ctx_eff"]["computed"], abs=1e-12)
    ends = [100 * contrast.interval.low, 100 * contrast.interval.high]
    np.testing.assert_allclose(ends, values()["ctx_boot"]["computed"], atol=1e-9)
    found = resampled(arms[1], 60, lambda passes, ends: policy_values(passes, ends, [single()]))
    law = found.exact(0)
    assert law is not None
    assert 1 - law.at_most(3 / 20) == pytest.approx(0.0471, abs=5e-5)
    assert 1 - law.at_most(4 / 20) == pytest.approx(0.0162, abs=5e-5)


def test_continuation_and_restart_meet_in_the_cutoff() -> None:
    """One restart at t = 16 of 30 is the repeated cutoff 16, as there are no terminals and c >= B/2."""
    for cell, (repeated, once) in zip(LUNA.cells, replay(LUNA.cells, [fixed(16), fixed(30)], 30), strict=True):
        curve = completion_curve(cell)
        live = 1 - curve[16]
        assert repeated == pytest.approx(curve[16] + live * curve[14], abs=1e-12)
        if live > 0:
            assert once == pytest.approx(curve[16] + live * continuation(curve, 16, 14), abs=1e-12)


def test_every_row_has_a_test() -> None:
    """A row that a newer golden file adds fails here until a test answers for it."""
    text = "".join(path.read_text() for path in Path(__file__).parent.glob("test_timing_*.py"))
    # Families whose last part, a value of p, the tests compose.
    composed = ("alarm_G_", "clairvoyant_", "regret_")
    assert all(f'"{family}' in text for family in composed)
    assert [name for name in published() if f'"{name}"' not in text] == []
    assert [name for name in values() if f'"{name}"' not in text and not name.startswith(composed)] == []
