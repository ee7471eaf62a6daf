"""The page of a report as sections: what it says, in which order."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from analysis.figures.style import SYNTHETIC, Drawing
from analysis.report.blocks import Section, Text
from analysis.report.part_audit import alarms_part, audit_part, open_part, provenance
from analysis.report.part_checkpoints import checkpoints_part
from analysis.report.part_interventions import interventions_part
from analysis.report.part_monitors import monitors_part
from analysis.report.part_policies import completion, policies
from analysis.report.part_reuse import reuse_part
from analysis.report.part_stages import failures, outcome_part, spending, stages

_RECONSTRUCTED = (
    "Reconstructed data: these attempts were made up to agree with published aggregates. They are not the attempts "
    "that were run."
)
_IMPORTED = "Imported data: this project did not run these attempts, and cannot vouch for how they were collected."

#: Parts that only some kinds of stages have.
_OF_SOME_STAGES = (interventions_part, reuse_part, checkpoints_part, monitors_part)


def page_of(document: Mapping[str, Any], figures: Mapping[str, list[Drawing]]) -> list[Section]:
    """All sections that have something to say: checkpoint stages alone have no cohorts, whose attempts start afresh."""
    fresh = bool(document["cohorts"])
    return [
        Section("summary", "Summary", [*_warnings(document), Text(_summary(document))]),
        stages(document, figures),
        *([outcome_part(document, figures)] if fresh else []),
        *(section for part in _OF_SOME_STAGES if (section := part(document, figures))),
        *([completion(document, figures), policies(document)] if fresh else []),
        *([audit_part(document, figures)] if document["audits"] else []),
        *([failures(document), spending(document)] if fresh else []),
        open_part(document),
        alarms_part(figures),
        provenance(document),
    ]


def title_of(document: Mapping[str, Any]) -> str:
    """Title of the page."""
    return f"Restart study: {document['title']}"


def _warnings(document: Mapping[str, Any]) -> list[Text]:
    found = []
    if document["synthetic"]:
        panels = [panel | {"stage": one["stage"]} for one in document["checkpoints"] for panel in one["panels"]]
        mine = sorted({f"{one['stage']}, {one['runtime']}" for one in (*document["cohorts"], *panels)
                       if one["origin"] == "synthetic"})  # fmt: skip
        found.append(Text(
            f"{SYNTHETIC}. Its law of completion was declared, so its numbers say how well the method works, and "
            f"nothing about any model. Synthetic here: {'; '.join(mine)}.", warning=True,
        ))  # fmt: skip
    if "reconstructed" in document["origins"]:
        found.append(Text(_RECONSTRUCTED, warning=True))
    if "imported" in document["origins"]:
        found.append(Text(_IMPORTED, warning=True))
    return found


def _summary(document: Mapping[str, Any]) -> str:
    attempts = sum(stage["attempts"] for stage in document["stages"])
    verified = sum(one["totals"]["verified"] for one in document["cohorts"])
    verified += sum(
        row["passed"] for one in document["checkpoints"] for panel in one["panels"] for row in panel["actions"]
    )
    states = [one["audit"] for one in document["checkpoints"] if one["audit"]]
    audited = [audit for audit in (*document["audits"], *states) if audit["counts"]]
    counts = {name: sum(audit["counts"][name] for audit in audited) for name in ("restart", "continue", "abstain")}
    open_, stages_ = len(document["unresolved"]), len(document["stages"])
    stages_word = "1 stage" if stages_ == 1 else f"{stages_} stages"
    questions = "1 question" if open_ == 1 else f"{open_} questions"
    return (
        f"{attempts} counted attempts in {stages_word}, {verified} of them verified. The decision audit certifies "
        f"restart in {counts['restart']} and continue in {counts['continue']} comparisons, and abstains in "
        f"{counts['abstain']}. {questions} stayed open, listed below with reasons. "
        "Runtimes, arms and stages are never pooled."
    )
