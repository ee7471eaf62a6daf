"""Checkpoint stages in a report: what each action came to, and what the draws say of restart and continue."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from analysis.checkpoints.decisions import audit_checkpoints
from analysis.checkpoints.document import audit_document, value_document
from analysis.checkpoints.panels import KIND, panels_of_events
from analysis.checkpoints.representations import representation_values
from analysis.errors import AnalysisError
from analysis.intervals import clopper_pearson
from analysis.readout.panel import Panel
from analysis.report.policies import refusal
from analysis.report.study import Choices, StageInfo, Study


def is_checkpoint_stage(info: StageInfo) -> bool:
    """Whether a stage's attempts begin from checkpoints; they are no fresh attempts then."""
    return info.protocol.get("kind") == KIND


def checkpoint_stages(study: Study) -> list[dict[str, Any]]:
    """One part per checkpoint stage; a stage whose tensor is not complete says why there is nothing about it."""
    return [_part(study, info) for info in study.stages if is_checkpoint_stage(info)]


def _part(study: Study, info: StageInfo) -> dict[str, Any]:
    compare = info.protocol[KIND].get("compare")
    found: dict[str, Any] = {
        "stage": info.stage, "compare": compare, "refused": None, "panels": [], "audit": None, "values": [],
    }  # fmt: skip
    try:
        panels = panels_of_events(study.table, info.stage, info.protocol)
        found["panels"] = [_panel(panel) for panel in panels]
        if compare:
            found["audit"] = _audit(study, info, panels)
            found["values"] = _values(panels, compare, study.choices)
    except AnalysisError as error:
        return found | refusal(error)
    return found


def _panel(panel: Panel) -> dict[str, Any]:
    scores = panel.evaluate
    ends = clopper_pearson(scores.sum(axis=(0, 2)), scores.shape[0] * scores.shape[2], 0.05)
    actions = [
        {
            "action": name, "passed": int(scores[:, i].sum()), "episodes": int(scores[:, i].size),
            "interval": [float(ends.low[i]), float(ends.high[i])],
            "calls": None if panel.calls is None else float(panel.calls[:, i].mean()),
            "cost_usd": None if panel.cost_usd is None else float(panel.cost_usd[:, i].mean()),
        }
        for i, name in enumerate(panel.actions)
    ]  # fmt: skip
    return {
        "runtime": panel.runtime, "origin": panel.origin, "checkpoints": len(panel.checkpoints),
        "repeats": len(panel.repeats), "actions": actions,
    }  # fmt: skip


def _audit(study: Study, info: StageInfo, panels: Sequence[Panel]) -> dict[str, Any]:
    plan, chosen = info.protocol["analysis"], study.choices
    error, name = chosen.alpha or plan["alpha"], chosen.method or plan["method"]
    planned = (error, name) == (plan["alpha"], plan["method"]) and not study.part
    compare = info.protocol[KIND]["compare"]
    made = audit_checkpoints(
        panels, compare["restart"], compare["continue"], alpha=error, method_name=name,
        plan="protocol" if planned else "exploratory",
    )  # fmt: skip
    return audit_document(made)


def _values(panels: Sequence[Panel], compare: dict[str, str], choices: Choices) -> list[dict[str, Any]]:
    rows = []
    for panel in panels:
        seen = {"task": panel.tasks} if panel.tasks else {}
        pair = compare["restart"], compare["continue"]
        rows += representation_values(panel, *pair, seen, replicates=choices.replicates, seed=choices.seed)
    return value_document(rows)
