"""Scores of entries: coverage, missing costs, labels, exclusions, comparisons, sensitivity."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import made_trials as made
import pytest
from hypothesis import given
from hypothesis import strategies as st

from analysis.errors import InputError
from analysis.recovery.composite import COMPOSITE, composite
from analysis.recovery.difficulty import difficulty
from analysis.recovery.document import score_document, scored
from analysis.recovery.exclusions import asymmetries, rates, retry_findings
from analysis.recovery.fields import bill, comparison_fields, entry_fields
from analysis.recovery.gap import gap
from analysis.recovery.labels import Label
from analysis.recovery.paired import paired
from analysis.recovery.quality import WEIGHTS
from analysis.recovery.records import Attempt, CalibrationSystem, Entry, Panel, RetryPolicy, panel_of
from analysis.recovery.sensitivity import moved, rank_changes, shifts
from harness.scoring.panel import PanelData, plain_panel
from harness.scoring.trials import attempt_of

Record = dict[str, Any]


def attempts(*records: Record) -> list[Attempt]:
    return [attempt_of(record)[0] for record in records]


def edition(**changes: Any) -> Panel:
    return plain_panel(PanelData.model_validate(made.frozen(made.audited(made.panel_data(**changes)))))


ALL = attempts(*made.made("a", 0.6), *made.made("b", 0.3))


def label(records: list[Attempt], panel: Panel) -> Label:
    return scored(records, "a", panel).label


def test_an_official_result() -> None:
    found = scored(ALL, "a", edition())
    assert found.label == Label("official", ())
    assert found.score.valid == 100 and sum(found.spread.histogram) == 20


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"frozen": None}, "not frozen"),
        ({"memory": None}, "memory policy is not stated"),
        ({"memory": "allowed"}, "memory across trials is allowed"),
        ({"trials": 4}, "20 tasks x 4 trials"),
        ({"retry": None}, "no retry policy"),
        ({"retry": RetryPolicy(("host_failure",), 3)}, "not among the declared reasons"),
        ({"retry": RetryPolicy(("provider_outage",), 1)}, "more than the 1"),
        ({"weights": {**WEIGHTS, "F": 0.25, "M": 0.15}}, "weights are not the published ones"),
        ({"mix": {"Hard": 20, "Medium": 0, "Easy": 0}}, "mix of bands"),
        ({"calibration": ()}, "20 tasks without a difficulty band"),
    ],
)
def test_what_keeps_a_result_from_being_official(change: dict[str, Any], said: str) -> None:
    found = label(ALL, replace(edition(), **change))
    assert found.name == "provisional" and any(said in reason for reason in found.reasons), found


def test_synthetic_bands_and_attempts_are_never_official() -> None:
    panel = edition()
    scripted = CalibrationSystem("script", "h", True, panel.calibration[0].passes)
    found = label(ALL, replace(panel, calibration=(scripted,)))
    assert found.name == "provisional" and any("bands are synthetic" in reason for reason in found.reasons)
    ties = label(ALL, replace(panel, calibration=(*panel.calibration, scripted)))
    assert any("bands are synthetic" in reason for reason in ties.reasons), "a tie must not hide the script"
    instrument = [replace(one, origin="synthetic") for one in ALL]
    assert any("scripted instrument" in reason for reason in label(instrument, panel).reasons)


def test_without_an_audit_nothing_is_more_than_unverified() -> None:
    panel = replace(edition(), entries={"a": Entry(id="x")})
    assert label(ALL, panel) == Label("unverified", ("no audit was approved",))


def test_retired_tasks_and_unreviewed_exclusions_are_told() -> None:
    panel = edition()
    old = replace(panel, tasks=(replace(panel.tasks[0], retired="released as a sample"), *panel.tasks[1:]))
    assert any("retired tasks: task_00" in reason for reason in label(ALL, old).reasons)
    nobody = [replace(one, reviewer=None) for one in ALL]
    assert any("without a reviewer" in reason for reason in label(nobody, panel).reasons)


def test_an_incomplete_panel_is_not_scaled_up() -> None:
    some = [one for one in ALL if one.task < "task_10"]
    found = scored(some, "a", edition())
    assert found.label.name == "provisional"
    full = scored(some, "a", replace(edition(), tasks=edition().tasks[:10]))
    assert (found.score.quality, found.score.reliability) == (full.score.quality, full.score.reliability)
    rows = score_document(found)["tasks"]
    assert len(rows) == 20 and [row["quality"] for row in rows[10:]] == [None] * 10
    assert entry_fields(found)["coverage"]["covered"] == 10


def test_unequal_counts_show_both_means() -> None:
    records = attempts(*(made.record(trial=trial) for trial in range(1, 5)), made.failure("task_01"))
    found = composite(records, panel_of(records, 5))
    assert found.quality != found.task_quality and found.task_quality == pytest.approx((100 + 50) / 2)


def test_a_missing_cost_never_scores() -> None:
    panel = edition()
    broken = [replace(one, cost_usd=None) if one.strict_pass and one.runtime == "a" else one for one in ALL]
    found = scored(broken, "a", panel)
    assert found.score.efficiency is None and found.score.crs is None
    assert found.label.name == "provisional" and len(found.score.missing) == found.score.passes
    document = score_document(found)
    assert document["crs"] is None and document["quality"] == scored(ALL, "a", panel).score.quality
    assert any(row["missing"] for row in document["tasks"])
    (said,) = entry_fields(found)["missing"]
    assert said.startswith(f"cost_usd is missing, in {found.score.passes} strict passes: task_") and len(said) < 120


def test_the_track_that_all_attempts_were_recorded_on_is_said() -> None:
    panel = replace(edition(), entries={})
    for tracks, said in ((("native",), "native"), (("native", "controlled"), None), ((None,), None)):
        mine = [replace(one, track=tracks[i % len(tracks)]) for i, one in enumerate(ALL)]
        assert entry_fields(scored(mine, "a", panel))["track"] == said


def test_a_missing_cost_of_one_pass_leaves_the_entry_without_a_composite() -> None:
    panel = edition()
    one = next(one for one in ALL if one.strict_pass and one.runtime == "a")
    single = [replace(one, cost_usd=None) if each is one else each for each in ALL]
    assert scored(single, "a", panel).score.crs is None


def test_the_cost_of_failures_does_not_score_but_is_billed() -> None:
    panel = edition()
    cheap = [one if one.strict_pass else replace(one, cost_usd=None, runtime_s=None) for one in ALL]
    assert scored(cheap, "a", panel).score == scored(ALL, "a", panel).score
    found = bill([one for one in cheap if one.runtime == "a"])
    assert found["cost_usd"]["unknown"] == sum(not one.strict_pass for one in cheap if one.runtime == "a")
    assert bill(attempts(made.lost()))["cost_usd"] == {"known": None, "unknown": 1}


def test_excluded_attempts_never_count_and_always_stay() -> None:
    panel = edition()
    more = [*ALL, *attempts(*(made.lost("task_03", trial=trial) for trial in range(1, 6)))]
    assert scored(more, "a", panel).score == scored(ALL, "a", panel).score
    found = entry_fields(scored(more, "a", panel))
    lost = sum(not one.valid and one.runtime == "a" for one in more)
    assert found["exclusions"]["excluded"] == lost == len(found["exclusions"]["decisions"])
    assert found["score"]["excluded"] == lost and found["attempts"]["attempted"] == 100 + lost


def test_an_asymmetry_of_exclusions_is_flagged() -> None:
    bad = [made.lost("task_00", "a", trial, exclusion="odd") for trial in range(1, 25)]
    records = attempts(*bad, *(made.record(runtime=name, trial=trial) for name in "ab" for trial in range(1, 26)))
    found = asymmetries(records, "a")
    assert [row.task for row in found if row.flagged] == [None, "task_00"]
    assert [(rate.name, rate.excluded, rate.attempts) for rate in rates(records, "runtime")] == [
        ("a", 24, 49), ("b", 0, 25),
    ]  # fmt: skip
    assert asymmetries(attempts(made.record()), "a") == []
    assert not any(row.flagged for row in asymmetries(ALL, "a"))


def test_retries_beyond_the_policy_are_told() -> None:
    records = attempts(*[made.lost(), made.lost(), made.lost(reviewer=None, exclusion="mood"), made.record()])
    found = retry_findings(records, RetryPolicy(("provider_outage",), 3))
    assert len(found) == 3 and "mood" in found[0] and "4 attempts" in found[2]


def test_nothing_to_score_is_refused() -> None:
    panel = edition()
    with pytest.raises(InputError, match="no valid trial"):
        scored(attempts(made.lost()), "a", panel)
    with pytest.raises(InputError, match="no attempts of 'c'"):
        scored(ALL, "c", panel)
    with pytest.raises(InputError, match="not in the panel"):
        scored(attempts({**made.record(), "task": "other"}), "a", panel)
    with pytest.raises(InputError, match="family"):
        scored(attempts({**made.record(), "family": "other"}), "a", panel)
    with pytest.raises(InputError, match="twice"):
        scored(attempts(made.record(), made.failure()), "a", panel)
    with pytest.raises(InputError, match="no valid trial"):
        composite(attempts(made.lost()), panel)


def test_paired_differences_resample_families() -> None:
    found = paired(ALL, "a", "b", edition(), replicates=2000)
    back = paired(ALL, "b", "a", edition(), replicates=2000)
    assert found.mean == pytest.approx(-back.mean) and (found.better, found.worse) == (back.worse, back.better)
    assert found.low is not None and found.high is not None and found.low <= found.mean <= found.high
    assert found.families == 6 and len(found.tasks) == 20
    assert found == paired(ALL, "a", "b", edition(), replicates=2000)
    fields = comparison_fields(found)
    assert fields["interval"] == [found.low, found.high] and len(fields["tasks"]) == 20


def test_one_family_gives_no_interval() -> None:
    same = [one for one in ALL if one.family == "family_0"]
    found = paired(same, "a", "b", edition())
    assert (found.low, found.high, found.families) == (None, None, 1)
    with pytest.raises(InputError, match="no task in common"):
        paired([one for one in ALL if (one.runtime == "a") == (one.task < "task_05")], "a", "b", edition())


def test_copies_of_a_task_in_its_family_do_not_narrow_the_interval() -> None:
    """Three variants of each task: the family is the unit, so the interval stays (tasks as units would narrow it)."""
    base = [replace(one, family=one.task) for one in ALL]
    copies = [replace(one, task=f"{one.task}-{k}") for one in base for k in range(3)]
    once = paired(base, "a", "b", panel_of(base, 5), replicates=4000)
    thrice = paired(copies, "a", "b", panel_of(copies, 5), replicates=4000)
    assert (once.low, once.high) == pytest.approx((thrice.low, thrice.high))


def test_the_gap_between_visible_function_and_strict_recovery() -> None:
    shares = dict.fromkeys("FSDIEM", 1.0)
    records = attempts(
        made.record(trial=1), made.failure(trial=2), made.failure(trial=3, dimensions={**shares, "D": 0.0}),
        made.failure(trial=4, dimensions=shares, flags={**dict.fromkeys(made.FLAGS, False), "major_safety": True}),
    )  # fmt: skip
    found = gap(records)
    assert (found.trials, found.functional, found.strict, found.apparent, found.fragile) == (4, 3, 1, 2, 1)
    assert found.lacking["D"] == 1 and found.lacking["major_safety"] == 1 and found.lacking["S"] == 0


@given(st.sampled_from(sorted(WEIGHTS)), st.floats(-1, 1))
def test_moved_weights_sum_to_one(name: str, step: float) -> None:
    found = moved(WEIGHTS, name, step)
    assert sum(found.values()) == pytest.approx(1) and all(0 <= value <= 1 for value in found.values())
    rest = [other for other in WEIGHTS if other != name]
    if found[name] < 1:
        assert found[rest[0]] / found[rest[1]] == pytest.approx(WEIGHTS[rest[0]] / WEIGHTS[rest[1]])


def test_sensitivity_is_beside_the_score() -> None:
    panel = edition()
    mine, others = (shifts([one for one in ALL if one.valid and one.runtime == name], panel) for name in "ab")
    assert len(mine) == 2 * (len(WEIGHTS) + len(COMPOSITE))
    assert rank_changes(mine, others, 1.0) == []
    assert len(rank_changes(mine, others, -1.0)) == len(mine)


def test_difficulty_takes_the_best_system_and_says_what_is_unsettled() -> None:
    weak = CalibrationSystem("weak", "h", False, {"t": (0, 5)})
    strong = CalibrationSystem("strong", "h", False, {"t": (3, 5)})
    found = difficulty("t", [weak, strong])
    assert (found.band, found.best, found.passed) == ("Medium", ("strong",), 3)
    assert found.within == ("Medium", "Easy", "Excluded")
    assert difficulty("other", [weak]).band is None


def test_the_document_has_the_promised_keys_and_no_other() -> None:
    found = score_document(scored(ALL, "a", edition()))
    assert list(found) == [
        "label", "panel", "trials", "excluded", "quality", "reliability", "efficiency", "crs", "tasks", "dimensions",
        "caps", "difficulty",
    ]  # fmt: skip
