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
from analysis.report.words import counted

_RECONSTRUCTED = (
    "Reconstructed data: these attempts were made up to agree with published aggregates. They are not the attempts "
    "that were run."
)
_IMPORTED = "Imported data: this project did not run these attempts, and cannot vouch for how they were collected."


def page_of(document: Mapping[str, Any], figures: Mapping[str, list[Drawing]]) -> list[Section]:
    """All sections that have something to say."""
    sections = [
        Section("summary", "Summary", [*_warnings(document), Text(_summary(document))]),
        stages(document, figures),
        outcome_part(document, figures),
        interventions_part(document, figures),
        reuse_part(document, figures),
        checkpoints_part(document, figures),
        monitors_part(document, figures),
        completion(document, figures),
        policies(document),
        audit_part(document, figures),
        failures(document),
        spending(document),
        open_part(document),
        alarms_part(figures),
        provenance(document),
    ]
    return [section for section in sections if section]


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
    return (
        f"{attempts} counted attempts in {counted(len(document['stages']), 'stage')}, {verified} of them verified. The "
        f"decision audit certifies restart in {counts['restart']} and continue in {counts['continue']} comparisons, "
        f"and abstains in {counts['abstain']}. {counted(len(document['unresolved']), 'question')} stayed open, listed "
        "below with reasons. Runtimes, arms and stages are never pooled."
    )
