"""Panels from the event table of a checkpoint stage; its arms name action and checkpoint: ``restart@0a1b2c3d4e5f``."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from analysis.cells import VERIFIED
from analysis.errors import InputError
from analysis.readout.panel import Panel
from analysis.readout.tensor_rows import panels_of_rows
from analysis.table import EventTable

#: Kind of a protocol whose arms are such.
KIND = "checkpoint"
_SEPARATOR = "@"


def action_of(arm: str) -> str:
    """The action of an arm that may name a checkpoint."""
    return arm.partition(_SEPARATOR)[0]


def panels_of_events(table: EventTable, stage: str, protocol: Mapping[str, Any]) -> list[Panel]:
    """The panels of a stage, one per runtime: 1 for an episode that was verified, else 0.

    Args:
        protocol: of the stage; gives the order of the actions, and the number of repeats.

    Raises:
        InputError: an episode has no counted attempt; an arm names no checkpoint, or an action that is not planned.
    """
    mine = table.select(table.mask(stage=[stage]))
    mine = mine.select(mine["valid"])
    order = [action["name"] for action in protocol[KIND]["actions"]]
    rows = [_row(mine, i, order) for i in range(len(mine))]
    rows.sort(key=lambda row: (row["runtime"], order.index(row["action"])))
    panels = panels_of_rows(rows, f"stage {stage}", first_row=1)
    for panel in panels:
        if len(panel.actions) < len(order) or len(panel.repeats) < protocol["repeats"]:
            what = f"{panel.name} has {len(panel.actions)} actions and {len(panel.repeats)} repeats"
            planned = f"{len(order)} and {protocol['repeats']}"
            raise InputError(f"{what}, of {planned} that are planned", mend=f"restartlab collect {stage}")
    return panels


def _row(table: EventTable, i: int, order: list[str]) -> dict[str, Any]:
    def text(column: str) -> str:
        return table.values[column][int(table[column][i])]

    action, _, checkpoint = text("arm").partition(_SEPARATOR)
    if not checkpoint or action not in order:
        what = f"the arm {text('arm')!r} of stage {text('stage')} names no action and checkpoint"
        raise InputError(what, mend=f"arms are ACTION{_SEPARATOR}CHECKPOINT with the actions {', '.join(order)}")
    cost = float(table["cost_usd"][i])
    return {
        "checkpoint": checkpoint, "action": action, "repeat": int(table["repeat"][i]),
        "select": float(table["event"][i] == VERIFIED), "calls": int(table["calls"][i]),
        "cost_usd": None if np.isnan(cost) else cost,
        **{name: text(name) for name in ("task", "stage", "runtime", "origin")},
    }  # fmt: skip
