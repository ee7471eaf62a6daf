"""The part of the page on checkpoint stages."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from analysis.figures.style import Drawing
from analysis.report.blocks import Block, Picture, Section, Table, Text
from analysis.report.words import between, percent, points

Document = Mapping[str, Any]


def checkpoints_part(document: Document, figures: Mapping[str, list[Drawing]]) -> Section | None:
    """Restart against continue from the same states; None without a checkpoint stage."""
    if not document["checkpoints"]:
        return None
    blocks: list[Block] = [
        Text(
            "From every frozen state each action was drawn several times: p and q are success of restarting and of "
            "continuing from one and the same state, and their draws are independent."
        ),
        *(Picture(one, "Success from each state, and what is certified.") for one in figures["checkpoints"]),
    ]
    for one in document["checkpoints"]:
        if one["refused"]:
            blocks.append(Text(f"{one['stage']}: {one['refused']}", warning=True))
            continue
        blocks.append(_actions(one))
        if one["audit"]:
            blocks += [_decisions(one), _values(one)]
    return Section("checkpoints", "Checkpoints", blocks)


def _actions(one: Mapping[str, Any]) -> Table:
    rows = [
        [one["stage"], panel["runtime"], row["action"], str(panel["checkpoints"]), f"{row['passed']}/{row['episodes']}",
         percent(row["passed"] / row["episodes"]), between(row["interval"]), _amount(row["calls"], "{:.1f}"),
         _amount(row["cost_usd"], "{:.4f}")]
        for panel in one["panels"] for row in panel["actions"]
    ]  # fmt: skip
    head = ["stage", "runtime", "action", "checkpoints", "passed", "%", "95 %, pooled", "calls", "US dollars"]
    return Table("What each action came to, over all checkpoints", head, rows, _origins(one), left=3)


def _decisions(one: Mapping[str, Any]) -> Table:
    audit = one["audit"]
    rows = [
        [row["runtime"], row["task"], row["checkpoint"], f"{row['x']}/{row['n']}", f"{row['y']}/{row['n']}",
         points(row["p"] - row["q"], 1), row["decision"]]
        for row in audit["decisions"]
    ]  # fmt: skip
    caption = (
        f"{one['stage']}: {audit['compare']['restart']} against {audit['compare']['continue']} from every checkpoint, "
        f"{audit['method']}, family of {audit['family']}, error {audit['alpha']:g} ({audit['plan']}); below "
        f"{audit['attainable_n']} draws an action nothing can be certified"
    )
    head = ["runtime", "task", "checkpoint", audit["compare"]["restart"], audit["compare"]["continue"], "p − q, points",
            "decision"]  # fmt: skip
    return Table(caption, head, rows, _origins(one), left=3)


def _values(one: Mapping[str, Any]) -> Table:
    def shown(estimate: Mapping[str, Any]) -> str:
        ends = "" if estimate["low"] is None else f" {between([estimate['low'], estimate['high']])}"
        return percent(estimate["value"]) + ends

    rows = [
        [row["runtime"], row["name"], str(row["classes"]), *(shown(row[key]) for key in ("value", "lost", "held_out"))]
        for row in one["values"]
    ]
    head = ["runtime", "what is known", "classes", "gain over continuing, %", "lost against the state", "held out"]
    caption = f"{one['stage']}: what knowing more of a state is worth (held out: chosen on half of the draws)"
    return Table(caption, head, rows, _origins(one), left=2)


def _origins(one: Mapping[str, Any]) -> list[str]:
    return sorted({panel["origin"] for panel in one["panels"]})


def _amount(value: float | None, form: str) -> str:
    return "unknown" if value is None else form.format(value)
