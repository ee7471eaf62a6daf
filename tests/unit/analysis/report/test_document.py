"""The data document: what the golden events and a study of odd things say."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from made_cells import DATA
from made_study import ODD, odd_study

from analysis.errors import InputError
from analysis.report.document import events_csv, events_digest, report_document
from analysis.report.study import Choices, StageInfo, Study, default_cutoffs, default_times
from analysis.table import EventTable

DOCS = Path(__file__).resolve().parents[4] / "docs" / "report.md"
PAPER = ("pilot30", "highid30", "stress30")


def golden(*stages: str, **choices: Any) -> dict[str, Any]:
    table = EventTable.read([DATA / "timing_attempts.csv"])
    return report_document(Study(table, [StageInfo(stage) for stage in stages], Choices(**choices)))


@pytest.fixture(scope="module")
def odd(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    return report_document(odd_study(tmp_path_factory.mktemp("odd")))


def cohort(document: dict[str, Any], runtime: str, arm: str = "baseline") -> dict[str, Any]:
    (found,) = [
        one for one in document["cohorts"] if (one["stage"], one["runtime"], one["arm"]) == ("made", runtime, arm)
    ]
    return dict(found)


def test_published_numbers_of_the_paper_are_in_the_document() -> None:
    document = golden(*PAPER)
    (audit,) = document["audits"]
    assert (audit["family"], audit["counts"]["abstain"], audit["counts"]["not_reached"]) == (156, 103, 53)
    assert audit["counts"]["restart"] == audit["counts"]["continue"] == 0
    assert (audit["attainable_n"], audit["plan"]) == (14, "exploratory")
    luna, deepseek = (
        next(one for one in document["cohorts"] if (one["stage"], one["runtime"]) == ("pilot30", name))
        for name in ("luna", "deepseek")
    )
    assert (luna["replay"]["best"]["cutoffs"], luna["replay"]["single"]) == ([16, 18, 20], pytest.approx(29 / 35))
    (contrast,) = [row for row in luna["replay"]["contrasts"] if row["cutoff"] == 16]
    assert contrast["difference"] == pytest.approx(0.0229, abs=5e-5)
    assert contrast["interval"] == pytest.approx([0.0, 0.0686], abs=5e-5)
    assert (deepseek["totals"]["verified"], deepseek["totals"]["reasons"]["censored"]) == (24, {"horizon": 11})
    assert deepseek["spending"]["cost_usd"]["known_total"] is None


def test_abstentions_carry_their_estimates_and_are_said_to_be_open() -> None:
    document = golden(*PAPER)
    (row,) = [
        row for row in document["audits"][0]["comparisons"]
        if (row["task"], row["runtime"], row["t"]) == ("23413", "luna", 16)
    ]  # fmt: skip
    assert (row["q"], row["p"], row["decision"], row["attainable_n"]) == (0.0, 0.8, "abstain", 14)
    (said,) = [row for row in document["unresolved"] if "103 of 156" in row["what"]]
    assert "none of them could have been resolved by any outcome" in said["why"]
    assert "52 for 80 % power" in said["mend"]


def test_order_of_rows_changes_nothing() -> None:
    table = EventTable.read([DATA / "timing_attempts.csv"])
    mixed = table.select(np.random.default_rng(1).permutation(len(table)))
    stages = [StageInfo("pilot30")]
    assert events_csv(mixed) == events_csv(table)
    assert report_document(Study(mixed, stages)) == report_document(Study(table, stages))


def test_digest_is_of_the_events_as_written(tmp_path: Path) -> None:
    import hashlib

    table = EventTable.read([DATA / "timing_attempts.csv"])
    text = events_csv(table)
    assert events_digest(table) == hashlib.sha256(text.encode()).hexdigest()
    again = tmp_path / "events.csv"
    again.write_text(text, encoding="utf-8")
    assert events_digest(EventTable.read([again])) == events_digest(table)


def test_conventions_on_lost_tries(odd: dict[str, Any]) -> None:
    dropped, failures, censored = cohort(odd, "scripted")["conventions"]
    # Of two tasks: 5 of 5 (or of 6, the lost try counted) and 3 of 5.
    assert (dropped["tries"], dropped["value"]) == (10, pytest.approx((1 + 3 / 5) / 2))
    assert (failures["tries"], failures["value"]) == (11, pytest.approx((5 / 6 + 3 / 5) / 2))
    assert censored["value"] is None
    assert (censored["at_least"], censored["at_most"]) == (failures["value"], dropped["value"])
    assert censored["at_least"] <= censored["incidence"]["value"] <= censored["at_most"]
    none, all_failed, open_ = cohort(odd, "gone")["conventions"]
    assert (none["value"], none["at_most"], all_failed["value"]) == (None, None, 0.0)
    assert (open_["at_least"], open_["at_most"]) == (0.0, 1.0)


def test_what_is_not_observed_is_refused_with_what_is_known(odd: dict[str, Any]) -> None:
    model = cohort(odd, "model")
    assert (model["completion"]["through"], model["replay"]["single"]) == (11, None)
    assert model["completion"]["beyond"]["incidence"]["macro"][-1] == pytest.approx(0.5)
    assert [row["cutoff"] for row in model["replay"]["refused"]] == [20, None]
    assert model["replay"]["refused"][0]["known"]["value_at_most"] == 1.0
    assert [row["cutoff"] for row in model["replay"]["macro"]] == [5, 10]
    assert cohort(odd, "gone")["completion"] is None
    audit = odd["audits"][0]
    # Six cells and two calls; the cell that was cut off and the one of lost tries count, and say nothing.
    assert (audit["family"], sum(audit["counts"].values()), len(audit["refused_cells"])) == (12, 8, 1)
    assert {row["runtime"] for row in audit["summary"]} == {"scripted"}


def test_plans_costs_and_open_questions(odd: dict[str, Any]) -> None:
    made, made2 = odd["stages"]
    assert (made["plan"]["kind"], made2["plan"]["kind"], odd["audits"][0]["plan"]) == (
        "protocol", "exploratory", "protocol",
    )  # fmt: skip
    assert (made["attempts"], made["tries"], made["excluded_tries"]) == (22, 24, 2)
    cost = cohort(odd, "scripted")["spending"]["cost_usd"]
    assert (cost["known_total"], cost["unknown_tries"]) == (pytest.approx(0.30), 1)
    assert cost["mean_of_known_attempts"] == pytest.approx(0.03)
    (contrast,) = odd["arm_contrasts"]
    assert (contrast["arm"], contrast["against"]["arm"], contrast["difference"]) == ("rejuvenate", "baseline", 0.0)
    whats = " ".join(row["what"] for row in odd["unresolved"])
    for open_ in ("the stage is not complete", "everything", "completion up to the budget", "total cost"):
        assert open_ in whats
    assert odd["synthetic"] is True
    assert {row["task"] for row in cohort(odd, "scripted")["tasks"]} == {"easy", ODD}


def test_other_choices_are_exploratory(tmp_path: Path) -> None:
    study = odd_study(tmp_path)
    for choices, part in ((Choices(times=[5]), False), (Choices(alpha=0.1), False), (Choices(), True)):
        changed = Study(study.table, study.stages[:1], choices, part=part)
        document = report_document(changed)
        assert document["stages"][0]["plan"]["kind"] == "exploratory"
        assert document["audits"][0]["plan"] == "exploratory"


@pytest.mark.parametrize(
    ("choices", "message"),
    [({"times": [30]}, "leaves no decision"), ({"alpha": 1.5}, "not between"), ({"method": "guess"}, "unknown method")],
)
def test_impossible_choices(choices: dict[str, Any], message: str) -> None:
    with pytest.raises(InputError, match=message):
        golden("pilot30", **choices)


def test_a_method_that_does_not_fit_the_design_is_a_refused_audit() -> None:
    document = golden("pilot30", method="fisher")
    assert "share attempts" in document["audits"][0]["refused"]
    assert any(row["what"] == "every decision" for row in document["unresolved"])


def test_defaults_are_the_paper_s_for_thirty_calls() -> None:
    assert default_cutoffs(30) == list(range(4, 31, 2))
    assert default_times(30) == [4, 8, 12, 16, 20, 24]
    assert default_times(2) == [1]
    assert default_cutoffs(1) == [1]


def test_document_is_plain_json_and_documented(odd: dict[str, Any]) -> None:
    assert json.loads(json.dumps(odd, allow_nan=False)) == odd
    text = DOCS.read_text(encoding="utf-8")
    for key in (*odd, *odd["stages"][0], *odd["audits"][0], *odd["provenance"], *cohort(odd, "scripted")):
        assert key in text, key
