"""The JSON document of ``restartlab completion``: fractions, unrounded; null where a rate is not defined."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from analysis.bootstrap import REPLICATES, SEED
from analysis.cells import Cell
from analysis.completion import macro_completion, task_curves
from analysis.errors import InputError
from analysis.groups import Group
from analysis.incidence import LABEL, aalen_johansen
from analysis.laws import identified_through

EMPIRICAL = "empirical"


def completion_document(
    groups: Sequence[Group],
    *,
    through: int | None = None,
    incidence: bool = False,
    replicates: int = REPLICATES,
    seed: int = SEED,
) -> dict[str, Any]:
    """Curves per task and macro curves per runtime and arm.

    Args:
        through: last call; None for the last one that is identified in all cells of the group.
        incidence: the Aalen-Johansen estimate in place of F, without bands.

    Raises:
        NotIdentified: ``through`` is past what was observed (and no incidence was asked for).
    """
    document: dict[str, Any] = {
        "method": LABEL if incidence else EMPIRICAL, "replicates": replicates, "seed": seed, "tasks": [], "macro": [],
    }  # fmt: skip
    for group in groups:
        name = {"runtime": group.runtime, "arm": group.arm}
        if incidence:
            _add_incidence(document, group, through)
            continue
        last = min(identified_through(cell) for cell in group.cells) if through is None else through
        for cell in group.cells:
            curves = task_curves(cell, last, last, replicates=replicates, seed=seed)
            shown = {field: _curve(value) for field, value in vars(curves).items()}
            document["tasks"].append(_named(cell) | {"calls": list(range(last + 1))} | shown)
        band = macro_completion(group.cells, last, replicates=replicates, seed=seed)
        ends = [np.array([one.low for one in band.intervals]), np.array([one.high for one in band.intervals])]
        curve = _curve(np.stack([band.completion, *ends]))
        how = "exact" if all(one.seed is None for one in band.intervals) else "monte carlo"
        document["macro"].append(name | {"calls": list(range(last + 1)), "completion": curve, "ends": how})
    return document


def _add_incidence(document: dict[str, Any], group: Group, through: int | None) -> None:
    last = min(int(cell.horizon.max()) for cell in group.cells) if through is None else through
    for cell in group.cells:
        found = aalen_johansen(cell)
        if last >= len(found.verified):
            raise InputError(
                f"{last} is past the horizon of task {cell.key.task}, {len(found.verified) - 1}", file="--through",
                mend="ask for fewer calls",
            )  # fmt: skip
        points = slice(last + 1)
        document["tasks"].append(
            _named(cell)
            | {"calls": list(range(last + 1)), "verified": _plain(found.verified[points]),
               "terminal": _plain(found.terminal[points])}
        )  # fmt: skip


def _named(cell: Cell) -> dict[str, Any]:
    key = cell.key
    return {
        "stage": key.stage, "arm": key.arm, "origin": key.origin, "task": key.task, "runtime": key.runtime, "n": cell.n,
        "identified_through": identified_through(cell),
    }  # fmt: skip


def _curve(values: NDArray[np.float64]) -> dict[str, list[float | None]]:
    return {name: _plain(row) for name, row in zip(("value", "low", "high"), values, strict=True)}


def _plain(row: NDArray[np.float64]) -> list[float | None]:
    return [None if value != value else value for value in row.tolist()]
