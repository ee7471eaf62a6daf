"""The audit against exact rationals, its properties, and its JSON document."""

from __future__ import annotations

from collections import Counter
from fractions import Fraction
from math import comb

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from made_cells import attempts, cell, golden_cells

from analysis.audit import audit, plan_kind
from analysis.audit_document import audit_document
from analysis.cells import CENSORED, VERIFIED, Cell
from analysis.certificates import METHODS
from analysis.errors import InputError
from analysis.opportunity import opportunities

H = 12


def at_least(k: int, n: int, rate: Fraction) -> Fraction:
    return sum((comb(n, i) * rate**i * (1 - rate) ** (n - i) for i in range(k, n + 1)), Fraction(0))


def separates(low: tuple[int, int], high: tuple[int, int], rate: Fraction, tail: Fraction) -> bool:
    """Whether the rate is above the upper end of ``low`` and below the lower end of ``high``, exactly."""
    above = 1 - at_least(low[0] + 1, low[1], rate) < tail
    return above and at_least(high[0], high[1], rate) < tail


@settings(max_examples=80, deadline=None)
@given(rows=attempts(H, 14), t=st.integers(1, 6), alpha=st.sampled_from([0.2, 0.9]))
def test_decisions_agree_with_exact_rationals(rows: list[tuple[int, int]], t: int, alpha: float) -> None:
    """Clopper-Pearson ends are apart exactly when some rate is ruled out by both samples from either side."""
    (found,) = audit([cell(rows, horizon=H)], budget=H, times=[t], alpha=alpha).comparisons()
    live = [(event, call) for event, call in rows if not (event != CENSORED and call <= t)]
    x, y = sum(e == VERIFIED and c <= H - t for e, c in rows), sum(e == VERIFIED and c <= H for e, c in live)
    assert (found.x, found.n, found.y, found.live) == (x, len(rows), y, len(live))
    assert found.p == (float(Fraction(x, len(rows))) if rows else None)
    assert found.q == (float(Fraction(y, len(live))) if live else None)
    if not live:
        assert found.decision == "not_reached"
        assert found.continue_interval == (0, 1)
        return
    fresh, cont, tail = (x, len(rows)), (y, len(live)), Fraction(alpha) / 4
    rates = [Fraction(i, 40) for i in range(1, 40)]
    restart, keep = found.restart_interval, found.continue_interval
    assert restart is not None
    assert keep is not None
    if found.decision == "restart":
        assert separates(cont, fresh, Fraction((restart[0] + keep[1]) / 2), tail)
    elif found.decision == "continue":
        assert separates(fresh, cont, Fraction((restart[1] + keep[0]) / 2), tail)
    else:
        assert not any(separates(cont, fresh, r, tail) or separates(fresh, cont, r, tail) for r in rates)


def strong(direction: str) -> Cell:
    """Attempts that certify a direction at t = 4 of 12 calls; whichever arms are taken from them."""
    if direction == "restart":  # half pass at once, half never
        return cell([(VERIFIED, 1), (CENSORED, H)] * 120, horizon=H, task="quick")
    return cell([(VERIFIED, 11)] * 240, horizon=H, task="slow")


@pytest.mark.parametrize(
    ("name", "sampling"),
    [
        ("clopper-pearson", "one-pool"),
        ("clopper-pearson", "split"),
        ("weak-sign", "one-pool"),
        ("weak-sign", "split"),
        ("fisher", "split"),
        ("boschloo", "split"),
        ("paired-sign", "pairs"),
        ("betting", "pairs"),
    ],
)
def test_every_method_certifies_both_directions(name: str, sampling: str) -> None:
    found = audit([strong("restart"), strong("continue"), cell([(VERIFIED, 2)] * 5, horizon=H, task="over")],
                  budget=H, times=[4], method_name=name, sampling=sampling)  # fmt: skip
    rows = list(found.comparisons())
    assert [row.decision for row in rows] == ["restart", "continue", "not_reached"]
    assert (rows[0].restart_interval is None) == (name not in ("clopper-pearson", "weak-sign"))


@given(seed=st.integers(0, 50))
def test_permuting_attempts_changes_no_audit(seed: int) -> None:
    cells = golden_cells("pilot30")
    rng = np.random.default_rng(seed)
    shuffled = []
    for one in cells:
        order = rng.permutation(one.n)
        shuffled.append(Cell(one.key, one.event[order], one.call[order], one.horizon[order]))
    first = audit(cells, budget=30, times=[4, 16])
    assert list(first.comparisons()) == list(audit(shuffled, budget=30, times=[4, 16]).comparisons())
    assert opportunities(cells, 30, [4, 16]) == opportunities(shuffled, 30, [4, 16])


def test_an_attempt_live_only_in_the_unused_half_was_reached_but_is_not_resolved() -> None:
    one = cell([(CENSORED, H), (VERIFIED, 1)], horizon=H)
    (row,) = audit([one], budget=H, times=[4], sampling="split").comparisons()
    assert (row.live, row.q, row.decision) == (0, None, "abstain")


def test_methods_take_the_sampling_they_need_or_refuse() -> None:
    cells = golden_cells("pilot30")
    assert audit(cells, budget=30, times=[16], method_name="betting").sampling == "pairs"
    assert audit(cells, budget=30, times=[16], method_name="weak-sign").sampling == "one-pool"
    with pytest.raises(InputError, match="share attempts"):
        audit(cells, budget=30, times=[16], method_name="fisher")
    with pytest.raises(InputError, match="optional stopping"):
        audit(cells, budget=30, times=[16], optional_stopping=True)
    assert audit(cells, budget=30, times=[16], method_name="betting", optional_stopping=True).family == 14


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"times": [30]}, "time 30 leaves no decision under budget 30"),
        ({"times": [0]}, "time 0"),
        ({"times": [4, 4]}, "twice"),
        ({"times": []}, "nothing to compare"),
        ({"family": 13}, "smaller than the 14"),
        ({"alpha": 1.0}, "not between 0 and 1"),
        ({"method_name": "bayes"}, "bayes"),
        ({"sampling": "all"}, "unknown sampling 'all'"),
        ({"budget": 40}, "exceeds the horizon 30"),
    ],
)
def test_impossible_audits_are_refused(change: dict[str, object], message: str) -> None:
    with pytest.raises(InputError, match=message):
        audit(golden_cells("pilot30"), **{"budget": 30, "times": [16], **change})  # type: ignore[arg-type]


def test_a_cell_given_twice_is_refused() -> None:
    with pytest.raises(InputError, match="twice"):
        audit([cell([]), cell([])], budget=30, times=[4])


def test_a_larger_family_widens_the_intervals() -> None:
    cells = golden_cells("pilot30")
    small = next(audit(cells, budget=30, times=[16]).comparisons())
    large = next(audit(cells, budget=30, times=[16], family=1000).comparisons())
    assert small.restart_interval is not None
    assert large.restart_interval is not None
    assert large.restart_interval[1] > small.restart_interval[1]
    assert large.attainable_n > small.attainable_n


def test_the_plan_is_the_protocols_only_when_everything_agrees() -> None:
    plan = {"budget": 30, "times": [4, 8], "alpha": 0.05, "method": "weak-sign", "cutoffs": [4]}
    asked = {"budget": 30, "times": (4, 8), "alpha": 0.05, "method_name": "weak-sign"}
    assert plan_kind([plan, plan], **asked) == "protocol"  # type: ignore[arg-type]
    assert plan_kind([], **asked) == "exploratory"  # type: ignore[arg-type]
    for change in ({"budget": 29}, {"times": (8, 4)}, {"alpha": 0.1}, {"method_name": "fisher"}):
        assert plan_kind([plan], **{**asked, **change}) == "exploratory"  # type: ignore[arg-type]
    assert plan_kind([plan, {**plan, "budget": 60}], **asked) == "exploratory"  # type: ignore[arg-type]
    assert plan_kind([{}], **asked) == "exploratory"  # type: ignore[arg-type]


def test_document() -> None:
    cells = golden_cells("pilot30", "stress30")
    found = audit(cells, budget=30, times=[16])
    document = audit_document(found, opportunities(cells, 30, [16]))
    assert list(document) == ["family", "alpha", "method", "plan", "comparisons", "summary"]
    assert (
        list(document["comparisons"][0])
        == (
            "stage arm origin task runtime t n live x y q p continue_interval restart_interval decision attainable_n"
        ).split()
    )
    assert list(document["summary"][0]) == (
        "runtime stage t live_cells restart_minus_continue task_oracle perfect_alarm".split()
    )
    assert (document["family"], len(document["comparisons"]), len(document["summary"])) == (19, 19, 3)
    decisions = Counter(row["decision"] for row in document["comparisons"])
    assert decisions == {"abstain": 13, "not_reached": 6}
    assert {row["q"] for row in document["comparisons"] if row["decision"] == "not_reached"} == {None}


def test_arms_are_never_pooled_and_told_apart_where_there_are_several() -> None:
    cells = [cell([(VERIFIED, 2), (CENSORED, H)], horizon=H, arm="a"), cell([(CENSORED, H)] * 2, horizon=H, arm="b")]
    document = audit_document(audit(cells, budget=H, times=[4]), opportunities(cells, H, [4]))
    assert [(row["arm"], row["perfect_alarm"]) for row in document["summary"]] == [("a", 0.25), ("b", 0.0)]


@given(table=st.lists(attempts(H), min_size=1, max_size=4), t=st.integers(1, H - 1))
def test_opportunities_are_ordered(table: list[list[tuple[int, int]]], t: int) -> None:
    cells = [cell(rows, horizon=H, task=str(i)) for i, rows in enumerate(table)]
    (row,) = opportunities(cells, H, [t])
    assert row.restart_minus_continue <= row.task_oracle + 1e-12
    assert 0 <= row.task_oracle <= row.perfect_alarm + 1e-12
    assert row.live_cells == sum(any(not (e != CENSORED and c <= t) for e, c in rows) for rows in table)


@given(rows=st.lists(st.one_of(st.tuples(st.just(VERIFIED), st.integers(1, H)), st.just((CENSORED, H))), min_size=1))
def test_one_restart_equals_a_repeated_cutoff_from_half_the_budget_on(rows: list[tuple[int, int]]) -> None:
    """Without terminals and c >= B/2: F(c) + (1 - F(c)) F(B - c) - F(B) is restart minus continue at t = c."""
    one = cell(rows, horizon=H)
    for c in range(H // 2, H):
        share = [float(np.mean(one.first_pass <= limit)) for limit in (c, H - c, H)]
        repeated = 1 - (1 - share[0]) * (1 - share[1])
        (row,) = opportunities([one], H, [c])
        assert row.restart_minus_continue == pytest.approx(repeated - share[2], abs=1e-12)


def test_counts_of_decisions_add_up() -> None:
    for name in METHODS:
        sampling = "split" if name in ("fisher", "boschloo") else None
        cells = golden_cells("pilot30", "highid30", "stress30")
        found = audit(cells, budget=30, times=[4, 16], method_name=name, sampling=sampling)
        counts = {name: found.count(name) for name in ("restart", "continue", "abstain", "not_reached")}
        assert sum(counts.values()) == found.family == 52
        assert counts == {**dict.fromkeys(counts, 0), **Counter(row.decision for row in found.comparisons())}
