"""Tables of alarms: what a monitor said about an attempt after a call."""

from __future__ import annotations

import csv
import math
from array import array
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from analysis.cells import Cell
from analysis.errors import InputError

_YES, _NO = {"1", "true", "yes"}, {"0", "false", "no"}


@dataclass(frozen=True)
class Readings:
    """Readings of a monitor, arrays of shape (readings,), sorted by attempt and call.

    ``attempt``: index into the attempts of all cells, cell after cell; ``call``: after which call; ``score``: NaN if
    none; ``flag``: 1 alarm, 0 none, -1 not said. ``unmatched``: rows about stages, runtimes
    or arms that were not chosen, and about repeats that are not counted (excluded tries).
    """

    attempt: NDArray[np.int64]
    call: NDArray[np.int64]
    score: NDArray[np.float64]
    flag: NDArray[np.int8]
    unmatched: int = 0

    def at_threshold(self, threshold: float | None) -> Readings:
        """Raises an alarm where no flag is given and the score is at least the threshold."""
        if threshold is None:
            return self
        from_score = np.where(np.isnan(self.score), -1, self.score >= threshold)
        flag = np.where(self.flag >= 0, self.flag, from_score).astype(np.int8)
        return Readings(self.attempt, self.call, self.score, flag, self.unmatched)


def read_alarms(file: str | Path, cells: Sequence[Cell]) -> Readings:
    """Reads a CSV file with the columns task, repeat, call, and score or flag or both; streamed.

    stage, runtime and arm may be missing where the cells have one only; other columns are ignored. A score is any
    finite number, larger for more alarming; a flag is 1, true, yes or 0, false, no.

    Raises:
        InputError: names file, row, column, value and mend.
    """
    try:
        with open(file, encoding="utf-8-sig", newline="") as stream:
            rows = csv.DictReader(stream)
            _check_header(rows.fieldnames or (), file)
            return _collect(rows, cells, file)
    except OSError as error:
        what = f"cannot be read ({error.strerror or error})"
        raise InputError(what, file=file, mend="check name and permissions") from error
    except UnicodeDecodeError as error:
        raise InputError("is not UTF-8 text", file=file, mend="save it as UTF-8 CSV") from error
    except csv.Error as error:
        raise InputError(f"is not CSV: {error}", file=file, mend="check the quotes in it") from error


def _check_header(names: Sequence[str], file: str | Path) -> None:
    for name in ("task", "repeat", "call"):
        if name not in names:
            raise InputError(f"has no column {name}", file=file, row=1, mend=f"its columns are {', '.join(names)}")
    if "score" not in names and "flag" not in names:
        raise InputError("has neither a column score nor flag", file=file, row=1, mend="add one of them")


def _collect(rows: Iterable[Mapping[str, str | None]], cells: Sequence[Cell], file: str | Path) -> Readings:
    place = _Places(cells, file)
    attempt, call, score, flag = array("q"), array("q"), array("d"), array("b")
    line = array("q")
    unmatched = 0
    for number, row in enumerate(rows, start=2):
        where = place.of(row, number)
        at = _whole(row, "call", file, number)
        points, raised = _score(row, file, number), _flag(row, file, number)
        if math.isnan(points) and raised < 0:
            raise InputError("says neither score nor flag", file=file, row=number, mend="fill one of them")
        if where is None:
            unmatched += 1
            continue
        attempt.append(where)
        call.append(at)
        score.append(points)
        flag.append(raised)
        line.append(number)
    if unmatched and not attempt:
        raise InputError(
            f"none of the {unmatched} rows is about a counted attempt of these stages, runtimes and arms",
            file=file,
            mend="use the names of the event table",
        )
    columns = [np.array(column) for column in (attempt, call, score, flag, line)]
    order = np.lexsort((columns[1], columns[0]))
    who, when, points_, flags, lines = (column[order] for column in columns)
    twice = np.flatnonzero((np.diff(who) == 0) & (np.diff(when) == 0))
    if len(twice):
        first, second = sorted((int(lines[twice[0]]), int(lines[twice[0] + 1])))
        raise InputError(
            f"a second reading of the same attempt after call {when[twice[0]]}, as in row {first}",
            file=file,
            row=second,
            mend="keep one of them",
        )
    return Readings(
        who.astype(np.int64), when.astype(np.int64), points_.astype(np.float64), flags.astype(np.int8), unmatched
    )


class _Places:
    """Finds the attempt that a row is about."""

    def __init__(self, cells: Sequence[Cell], file: str | Path):
        self._file = file
        self._cells: dict[tuple[str, str, str, str], dict[int, int]] = {}
        start = 0
        for cell in cells:
            if cell.repeat is None:
                raise InputError("these cells do not know the numbers of their repeats, so alarms cannot be matched")
            key = (cell.key.stage, cell.key.runtime, cell.key.arm, cell.key.task)
            if key in self._cells:
                raise InputError(f"stage {key[0]} stands for two digests or origins", mend="choose one of them")
            self._cells[key] = {repeat: start + i for i, repeat in enumerate(cell.repeat.tolist())}
            start += cell.n
        self._cohorts = {key[:3] for key in self._cells}
        self._only = [
            values.pop() if len(values) == 1 else None
            for values in ({key[part] for key in self._cells} for part in range(3))
        ]

    def of(self, row: Mapping[str, str | None], number: int) -> int | None:
        parts = []
        for name, only in zip(("stage", "runtime", "arm"), self._only, strict=True):
            part = row.get(name) or only
            if part is None:
                raise InputError(
                    f"names no {name}, and the event table has several", file=self._file, row=number, column=name,
                    mend=f"add a column {name}",
                )  # fmt: skip
            parts.append(part)
        key = (parts[0], parts[1], parts[2], row.get("task") or "")
        if key[:3] not in self._cohorts:
            return None
        if key not in self._cells:
            raise InputError(
                f"no attempts of task {key[3]!r} in stage {key[0]}, runtime {key[1]}, arm {key[2]}",
                file=self._file,
                row=number,
                column="task",
                mend="use the names of the event table",
            )
        return self._cells[key].get(_whole(row, "repeat", self._file, number))


def _whole(row: Mapping[str, str | None], name: str, file: str | Path, number: int) -> int:
    text = (row.get(name) or "").strip()
    if not (text.isascii() and text.isdigit() and len(text) < 10):
        raise InputError(f"{text!r} is not a whole number", file=file, row=number, column=name, mend="use 0, 1, 2 ...")
    return int(text)


def _score(row: Mapping[str, str | None], file: str | Path, number: int) -> float:
    text = (row.get("score") or "").strip()
    if not text:
        return math.nan
    try:
        value = float(text)
    except ValueError:
        value = math.nan
    if not math.isfinite(value):
        raise InputError(
            f"{text!r} is not a finite number", file=file, row=number, column="score", mend="leave it empty if unknown"
        )
    return value


def _flag(row: Mapping[str, str | None], file: str | Path, number: int) -> int:
    text = (row.get("flag") or "").strip().lower()
    if text not in _YES | _NO | {""}:
        raise InputError(f"{text!r} is not a flag", file=file, row=number, column="flag", mend="use 1 or 0")
    return -1 if not text else int(text in _YES)
