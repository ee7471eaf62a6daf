"""Published numbers of "Monitor Accuracy Isn't the Answer" (arXiv 2610.36544) on audit, evidence, intervals and value.

Data: timing_published.json, timing_values.json and timing_attempts.csv, copied from the goldens of the project. Rows
that only add or divide printed numbers name no equation, statistic or policy and are left out (n130, ctx_cost, ctx_eff,
ctx_wall, fmt14, fmt17); rows about completion, replay and bootstrap are tested with those.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from made_cells import golden_cells, golden_rows

from analysis import branches, evidence, intervals, value
from analysis.audit import Audit, Comparison, audit
from analysis.opportunity import Opportunity, opportunities

PUBLISHED, VALUES = golden_rows("timing_published"), golden_rows("timing_values")
TIMES = (4, 8, 12, 16, 20, 24)


@pytest.fixture(scope="module")
def found() -> Audit:
    return audit(golden_cells("pilot30", "highid30", "stress30"), budget=30, times=TIMES, alpha=0.05)


@pytest.fixture(scope="module")
def rows(found: Audit) -> list[Comparison]:
    return list(found.comparisons())


@pytest.fixture(scope="module")
def at16() -> dict[tuple[str, str], Opportunity]:
    seen = opportunities(golden_cells("pilot30", "highid30", "stress30"), 30, [16])
    return {(row.cohort.stage, row.cohort.runtime): row for row in seen}


def published(name: str) -> Any:
    return PUBLISHED[name]["published"]


def computed(name: str) -> Any:
    return VALUES[name]["computed"]


def test_family(found: Audit) -> None:
    assert len(found.keys) == computed("cells26")
    assert found.family == computed("M156") == 156


def test_live_cells_never_reached_and_certified(found: Audit) -> None:
    assert found.count("abstain") == published("live cells")
    assert found.count("not_reached") == published("never reached")
    assert found.count("restart") + found.count("continue") == published("certified")
    assert found.count("abstain") + found.count("not_reached") == computed("live103_53")


def test_live_at_16(rows: list[Comparison]) -> None:
    assert sum(row.t == 16 and row.live > 0 for row in rows) == published("live at 16")


def test_deepseek_favours_continuation_at_16(rows: list[Comparison]) -> None:
    live = [row for row in rows if row.t == 16 and row.live and row.key.runtime == "deepseek"]
    assert [sum(row.p < row.q for row in live), len(live)] == published("DeepSeek live at 16 favouring continuation")


def test_deepseek_perfect_alarm_at_16(at16: dict[tuple[str, str], Opportunity]) -> None:
    assert at16["pilot30", "deepseek"].perfect_alarm == published("DeepSeek perfect alarm gain @16") == 0


def test_task_23413_at_16(rows: list[Comparison]) -> None:
    (row,) = [r for r in rows if r.key.task == "23413" and r.key.runtime == "luna" and r.t == 16]
    assert [row.live, row.q, row.p] == published("23413@16 live,q,p")


def test_equation_22(at16: dict[tuple[str, str], Opportunity]) -> None:
    seen = at16["pilot30", "luna"]
    assert seen.restart_minus_continue == pytest.approx(computed("eq22"), abs=1e-12)
    assert seen.restart_minus_continue == pytest.approx(published("eq22"), abs=5e-7)


@pytest.mark.parametrize(
    ("key", "cohort"),
    [
        ("tab7_luna16", ("pilot30", "luna")),
        ("tab7_stress16", ("stress30", "luna")),
        ("tab7_highid16", ("highid30", "luna")),
    ],
)
def test_table_7(key: str, cohort: tuple[str, str], at16: dict[tuple[str, str], Opportunity]) -> None:
    seen = at16[cohort]
    effects = [seen.restart_minus_continue, seen.task_oracle, seen.perfect_alarm]
    assert [100 * effect for effect in effects] == pytest.approx(computed(key), abs=1e-10)


@pytest.mark.parametrize("p", [0.0, 0.1, 0.8])
def test_alarm_gain(p: float) -> None:
    assert value.gain(0.5, p, 0.9, 0.1) == pytest.approx(computed(f"alarm_G_p{p:g}"), abs=1e-15)


def test_alarm_gain_is_linear_in_p() -> None:
    p = np.linspace(0, 1, 11)
    slope, start = computed("alarm_G_linear")
    assert value.gain(0.5, p, 0.9, 0.1) == pytest.approx(slope * p + start, abs=1e-15)


def test_alarm_accuracy_and_break_even() -> None:
    assert value.accuracy(0.5, 0.9, 0.1) == pytest.approx(computed("alarm_accuracy"), abs=1e-15)
    assert value.break_even(0.5, 0.9, 0.1) == pytest.approx(computed("breakeven_p"), abs=1e-15)


@pytest.mark.parametrize(("q", "p"), [(0.5, 0.1), (0.5, 0.8), (0.3, 0.6), (0.6, 0.3)])
def test_clairvoyant_alarm(q: float, p: float) -> None:
    expected = computed(f"clairvoyant_q{q}_p{p}")
    assert value.ceiling(q, p) == pytest.approx(expected["ceiling"], abs=1e-15)
    assert value.clairvoyant_extra(q, p) == pytest.approx(expected["extra_rhs"], abs=1e-15)
    assert value.ceiling(q, p) - max(p - q, 0) == pytest.approx(expected["extra_lhs"], abs=1e-15)


@pytest.mark.parametrize("p", ["0.5", "0.999999999"])
def test_regret_under_aliasing(p: str) -> None:
    assert value.aliasing_regret(float(p)) == pytest.approx(computed(f"regret_p{p}"), abs=1e-15)


def test_equations_17_and_18() -> None:
    assert evidence.attempts_for_upper(0.10, 0.05, 1) == computed("eq18_M1")
    assert evidence.attempts_for_upper(0.10, 0.05, 156) == 90  # section 6.3
    assert evidence.zero_success_upper(42, 0.05, 1) == pytest.approx(0.099076, abs=5e-7)
    assert evidence.zero_success_upper(41, 0.05, 1) == pytest.approx(0.101365, abs=5e-7)
    assert evidence.zero_success_upper(42, 0.05, 1) == pytest.approx(intervals.clopper_pearson(0, 42, 0.025).high)


def test_upper_bound_of_0_of_20() -> None:
    assert intervals.clopper_pearson_upper(0, 20, 0.05) == pytest.approx(computed("ub_0_20"), abs=1e-15)


def test_fisher_17_against_1_of_20() -> None:
    assert intervals.fisher_two_sided(17, 20, 1, 20) == pytest.approx(computed("fisher_17_1"), rel=1e-12)


def test_newcombe_and_the_interval_printed_under_its_name() -> None:
    expected = computed("newcombe_0_1")
    assert intervals.newcombe(0, 20, 1, 20, 0.05) == pytest.approx(expected["newcombe_method10_wilson_noCC"], abs=1e-14)
    plain = intervals.wilson_limits_difference(0, 20, 1, 20, 0.05)
    assert plain == pytest.approx(expected["naive_wilson_difference"], abs=1e-14)
    assert plain == pytest.approx(VALUES["newcombe_0_1"]["published"], abs=5e-4)


def test_failed_branch_lemma() -> None:
    for name, expected in computed("lemmaG1").items():
        q, r = (float(part.split("=")[1]) for part in name.split(","))
        assert branches.component_right_given_failure(q, r) == pytest.approx(expected, abs=1e-15)
        threshold = branches.inversion_threshold(q)
        assert (expected < 0.5 - 1e-12) == (r > threshold + 1e-12)


def test_ensembles() -> None:
    rho = {"rho0": 0, "rho1": 1, "rho_half": 0.5}
    for name, value_ in rho.items():
        assert branches.ensemble_variance(0.5, 5, value_) == pytest.approx(computed("var_ens")[f"m5_{name}"], abs=1e-15)
        assert branches.effective_views(5, value_) == pytest.approx(computed("m_eff")[name], abs=1e-15)


def test_pairs_of_sources() -> None:
    assert branches.source_pairs([10, 10, 9, 9]) == computed("pairs162")


def test_attainable_minimum() -> None:
    """Timing.md: 14 at M = 156 and 7 at M = 1, whatever the data."""
    cells = golden_cells("pilot30")
    assert audit(cells[:1], budget=30, times=[16]).attainable_n == 7
    assert audit(cells, budget=30, times=TIMES, family=156).attainable_n == 14
