"""Parts of the page about what was collected: stages and plans, outcomes, lost tries, cost and wall time."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from analysis.figures.style import Drawing
from analysis.report.blocks import Block, Picture, Section, Table, Text
from analysis.report.words import amount, calls, listed, mean_amount, names, percent, reasons

Document = Mapping[str, Any]

_WHO = ("stage", "runtime", "arm")
_CONVENTIONS = {
    "dropped": "dropped: lost tries are left out",
    "failures": "failures: a lost try is a failed attempt",
    "censored": "censored: a lost try was cut off at its last call",
}


def stages(document: Document, figures: Mapping[str, list[Drawing]]) -> Section:
    """Stages and their plans."""
    blocks: list[Block] = [Picture(drawing, "What each stage collected, and what one budget buys.")
                           for drawing in figures["overview"]]  # fmt: skip
    rows, plans = [], []
    for stage in document["stages"]:
        planned = sum(stage["planned"].values())
        rows.append([
            stage["stage"], stage["title"] or "–", listed(stage["origins"]), listed(stage["runtimes"]),
            listed(stage["arms"]), str(stage["tasks"]), listed(stage["horizons"]), str(planned) if planned else "–",
            str(stage["attempts"]), str(stage["excluded_tries"]),
        ])  # fmt: skip
        plan = stage["plan"]
        plans.append([
            stage["stage"], plan["kind"], stage["frozen"] or "–", plan["method"], calls(plan["cutoffs"]),
            calls(plan["times"]), str(plan["budget"]), f"{plan['alpha']:g}",
        ])  # fmt: skip
    head = ["stage", "title", "origin", "runtimes", "arms", "tasks", "horizon", "planned", "attempts", "lost tries"]
    blocks.append(Table("Stages: counted attempts, and tries lost to infrastructure", head, rows,
                        document["origins"], left=5))  # fmt: skip
    head = ["stage", "choices", "frozen", "certificate", "cutoffs", "decision calls", "budget", "α"]
    blocks.append(Table("What is asked of each stage, in calls", head, plans, left=6))
    if any(stage["plan"]["kind"] == "exploratory" for stage in document["stages"]):
        blocks.append(Text(
            "Exploratory: these choices are not the ones of a stage's protocol, fixed before any outcome was seen. "
            "Read what follows from them as hypotheses.", warning=True,
        ))  # fmt: skip
    blocks += [Text(text) for stage in document["stages"] for text in _said(stage)]
    return Section("stages", "Stages and their plan", blocks)


def outcome_part(document: Document, figures: Mapping[str, list[Drawing]]) -> Section | None:
    """Outcomes per task and runtime; None where no attempt started afresh."""
    if not document["cohorts"]:
        return None
    blocks: list[Block] = [
        Picture(drawing, "Shares of counted attempts; cost and wall time are means of those that are known.")
        for drawing in figures["endings"]
    ]
    rows, tasks = [], []
    for one in document["cohorts"]:
        rows.append([*names(one), listed(_why(one["totals"])), *_counts(one["totals"])])
        tasks += [
            [row["task"], *names(one), listed(_why(row)), *_counts(row), _calls(row["first_pass"])]
            for row in one["tasks"]
        ]
    counted = ["attempts", "verified", "terminal", "censored", "verified, %"]
    blocks.append(Table("How attempts ended, and what ended those that did not pass",
                        [*_WHO, "reasons", *counted], rows, document["origins"], left=4))  # fmt: skip
    blocks.append(Table("Outcomes per task; calls of first passes: least, median, most",
                        ["task", *_WHO, "reasons", *counted, "first pass"], tasks, document["origins"], left=5,
                        folded=len(tasks) > 30))  # fmt: skip
    return Section("outcomes", "Outcomes per task and runtime", blocks)


def failures(document: Document) -> Section | None:
    """How failures were counted, under all three conventions; None where no attempt started afresh."""
    if not document["cohorts"]:
        return None
    rows = []
    for one in document["cohorts"]:
        for row in one["conventions"]:
            value = percent(row["value"]) if row["value"] is not None else _bounds(row)
            incidence = "–" if row["incidence"] is None else percent(row["incidence"]["value"])
            rows.append([*names(one), _CONVENTIONS[row["convention"]], str(one["budget"]), str(row["tasks"]),
                         str(row["tries"]), str(row["verified"]), value, incidence])  # fmt: skip
    head = [*_WHO, "convention", "calls", "tasks", "tries", "verified", "success, %", "estimate, %"]
    lost: dict[str, int] = {}
    for one in document["cohorts"]:
        for reason, count in one["totals"]["exclusions"].items():
            lost[reason] = lost.get(reason, 0) + count
    said = f"Lost tries by reason: {reasons(lost)}." if lost else "No try was lost, so the conventions agree."
    return Section("failures", "How failures were counted", [
        Text(
            "A try lost to infrastructure (provider, host, verifier, interruption) says nothing about the agent. It is "
            "kept with its reason, left out of all other parts of this report, and its attempt is tried again. What "
            "the agent does to itself, such as wasted limits, is an outcome. " + said
        ),
        Table("Mean over tasks of the chance that one attempt is verified within the budget", head, rows,
              document["origins"], left=4),
        Text(
            "Two numbers: bounds, if none or all of the cut-off tries would have passed. Estimate: Aalen–Johansen, "
            "terminals competing; it assumes that being cut off says nothing about the outcome."
        ),
    ])  # fmt: skip


def spending(document: Document) -> Section | None:
    """Cost and wall time per stage; None where no attempt started afresh."""
    if not document["cohorts"]:
        return None
    rows = []
    for one in document["cohorts"]:
        spent = one["spending"]
        mean = spent["calls_per_attempt"]
        rows.append([
            *names(one), str(spent["tries"]), f"{spent['calls']:,}", "–" if mean is None else f"{mean:.1f}",
            amount(spent["cost_usd"], "{:,.2f}"), mean_amount(spent["cost_usd"], "{:,.4f}"),
            amount(spent["wall_s"], "{:,.0f}"), mean_amount(spent["wall_s"], "{:,.1f}"),
        ])  # fmt: skip
    head = [*_WHO, "tries", "calls", "calls / attempt", "US $", "US $ / attempt", "seconds", "seconds / attempt"]
    return Section("cost", "Cost and wall time", [
        Table("Totals of all tries, lost ones too; means of counted attempts whose amount is known", head, rows,
              document["origins"], left=3),
        Text("Unknown stays unknown: a missing amount is never taken as zero, nor filled in from other tries."),
    ])  # fmt: skip


def _said(stage: Mapping[str, Any]) -> list[str]:
    found = []
    if stage["description"]:
        found.append(f"{stage['stage']}: {stage['description']}")
    selection = stage["selection"] or {}
    if selection.get("rule"):
        rejected = [f"{row['task']} ({row['reason']})" for row in selection.get("rejected", ())]
        left_out = f" Rejected: {'; '.join(rejected)}" if rejected else ""
        found.append(f"{stage['stage']}, how its tasks were selected: {selection['rule']}{left_out}")
    stated = stage["plan"]["stated"] or {}
    if stated.get("expansion_rule"):
        found.append(f"{stage['stage']}, rule of expansion: {stated['expansion_rule']}")
    return [text.strip() for text in found]


def _counts(row: Mapping[str, Any]) -> list[str]:
    share = row["verified"] / row["attempts"] if row["attempts"] else None
    return [*(str(row[name]) for name in ("attempts", "verified", "terminal", "censored")), percent(share)]


def _why(row: Mapping[str, Any]) -> list[str]:
    return [f"{event}: {reasons(row['reasons'][event])}" for event in ("terminal", "censored") if row["reasons"][event]]


def _calls(spread: Mapping[str, Any] | None) -> str:
    return "–" if spread is None else f"{spread['least']}, {spread['median']:g}, {spread['most']}"


def _bounds(row: Mapping[str, Any]) -> str:
    return "–" if row["at_least"] is None else f"{percent(row['at_least'])} to {percent(row['at_most'])}"
