"""Panels from rows of an outcome tensor, one row per episode; a hole is refused by name."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np

from analysis.errors import InputError
from analysis.readout.panel import STATUSES, Panel
from analysis.readout.tensor_columns import NEEDED, OF_CHECKPOINT, ORIGINS, number, status_code, text

Row = Mapping[str, Any]
_Place = tuple[str, str, int]


def panels_of_rows(rows: Iterable[Row], file: object, first_row: int = 2) -> list[Panel]:
    """The panels of a table, one per stage and runtime, sorted by name.

    Checkpoints are sorted, so that panels of the same checkpoints are resampled together; actions stand in the order in
    which the table first names them.

    Args:
        file: where the rows are from, for messages; ``first_row`` is the number of the first one there.

    Raises:
        InputError: no rows, a bad cell, a repeated or a missing episode.
    """
    made: dict[tuple[str, str], _Builder] = {}
    actions: dict[str, None] = {}
    for index, row in enumerate(rows, first_row):
        name = text(row.get("stage")), text(row.get("runtime"))
        made.setdefault(name, _Builder(file, *name)).add(row, index)
        actions.setdefault(text(row.get("action")))
    if not made:
        raise InputError("has no episodes", file=file, mend="give one row per checkpoint, action and repeat")
    return [made[name].panel([one for one in actions if one in made[name].actions]) for name in sorted(made)]


class _Builder:
    """Collects the rows of one panel."""

    def __init__(self, file: object, stage: str, runtime: str):
        self.file, self.stage, self.runtime, self.origin = file, stage, runtime, ""
        self.rows: dict[_Place, tuple[int, float, float, int, float, float]] = {}
        self.checkpoints: dict[str, dict[str, str]] = {}
        self.actions: set[str] = set()

    def add(self, row: Row, index: int) -> None:
        checkpoint, action = (self._name(row, column, index) for column in ("checkpoint", "action"))
        repeat = self._number(row, "repeat", index)
        if repeat != repeat or repeat != int(repeat):
            self._refuse(row, "repeat", index, "is not a whole number", "number the draws of an action 0, 1, 2 ...")
        place = checkpoint, action, int(repeat)
        if place in self.rows:
            what = f"checkpoint {checkpoint}, action {action}, repeat {place[2]} is also row {self.rows[place][0]}"
            raise InputError(what, file=self.file, row=index, mend="remove one of them, or give it another repeat")
        select = self._score(row, "select", index)
        evaluate = self._score(row, "evaluate", index)
        self.rows[place] = (
            index, select, select if evaluate != evaluate else evaluate, self._status(row, index),
            self._amount(row, "calls", index), self._amount(row, "cost_usd", index),
        )  # fmt: skip
        self.actions.add(action)
        self._same(row, checkpoint, index)

    def panel(self, actions: Sequence[str]) -> Panel:
        """The panel, once it is complete."""
        checkpoints = sorted(self.checkpoints)
        repeats = sorted({repeat for _, _, repeat in self.rows})
        cells = np.full((len(checkpoints), len(actions), len(repeats), 6), np.nan)
        for c, checkpoint in enumerate(checkpoints):
            for a, action in enumerate(actions):
                for r, repeat in enumerate(repeats):
                    found = self.rows.get((checkpoint, action, repeat))
                    if found is None:
                        self._hole(checkpoint, action, repeat)
                    else:
                        cells[c, a, r] = found
        status = cells[..., 3].astype(np.int8)
        of = {
            name: tuple(self.checkpoints[one][name] for one in checkpoints)
            if all(self.checkpoints[one][name] for one in checkpoints) else None
            for name in OF_CHECKPOINT
        }  # fmt: skip
        return Panel(
            tuple(checkpoints), tuple(actions), tuple(repeats), cells[..., 1], cells[..., 2],
            None if (status < 0).any() else status, _known(cells[..., 4]), _known(cells[..., 5]),
            tasks=of["task"], strata=of["stratum"], keys=of["key"],
            runtime=self.runtime, stage=self.stage, origin=self.origin or "imported",
        )  # fmt: skip

    def _hole(self, checkpoint: str, action: str, repeat: int) -> None:
        who = f" of {self.runtime}" if self.runtime else ""
        what = f"checkpoint {checkpoint}, action {action}, repeat {repeat}{who} is missing"
        mend = "complete it (a failed episode is a row with score 0), or remove that repeat everywhere"
        raise InputError(what, file=self.file, mend=mend)

    def _name(self, row: Row, column: str, index: int) -> str:
        found = text(row.get(column))
        if not found:
            self._refuse(row, column, index, "is empty", "fill it in")
        return found

    def _number(self, row: Row, column: str, index: int) -> float:
        try:
            return number(row.get(column))
        except ValueError:
            self._refuse(row, column, index, "is not a number", "write a number")
            raise

    def _score(self, row: Row, column: str, index: int) -> float:
        found = self._number(row, column, index)
        if found == found and not 0 <= found <= 1:
            self._refuse(row, column, index, "is outside [0, 1]", "scale the score to [0, 1]")
        if found != found and column in NEEDED:
            self._refuse(row, column, index, "is empty", "a failed episode has score 0; run a missing one")
        return found

    def _amount(self, row: Row, column: str, index: int) -> float:
        found = self._number(row, column, index)
        if found < 0:
            self._refuse(row, column, index, "is negative", "leave it empty if unknown")
        return found

    def _status(self, row: Row, index: int) -> int:
        if not text(row.get("provenance")):
            return -1
        try:
            return status_code(row["provenance"])
        except ValueError:
            self._refuse(row, "provenance", index, "is not a provenance", f"write one of {', '.join(STATUSES)}")
            raise

    def _same(self, row: Row, checkpoint: str, index: int) -> None:
        mine = {name: text(row.get(name)) for name in OF_CHECKPOINT}
        known = self.checkpoints.setdefault(checkpoint, mine)
        for name in OF_CHECKPOINT:
            if known[name] != mine[name]:
                what = f"is not {known[name]!r}, which another row says of checkpoint {checkpoint}"
                self._refuse(row, name, index, what, "write the same in all rows of a checkpoint")
        origin = text(row.get("origin"))
        if origin and origin not in ORIGINS:
            self._refuse(row, "origin", index, "is not an origin", f"write one of {', '.join(ORIGINS)}")
        if len(self.rows) > 1 and origin != self.origin:
            what = f"is not {self.origin!r}, which earlier rows of this stage and runtime say"
            self._refuse(row, "origin", index, what, "give each origin its own stage or runtime")
        self.origin = origin

    def _refuse(self, row: Row, column: str, index: int, what: str, mend: str) -> None:
        value = text(row.get(column))
        said = f"{value!r} {what}" if value else what
        raise InputError(said, file=self.file, row=index, column=column, mend=mend)


def _known(amounts: Any) -> Any:
    return None if np.isnan(amounts).all() else amounts
