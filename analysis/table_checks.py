"""Rules of the event table that concern a whole row, and all tries of an attempt."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from analysis.cells import CENSORED, VERIFIED
from analysis.errors import InputError
from analysis.event_columns import EVENTS, KEY, MISSING, Fault

if TYPE_CHECKING:
    from analysis.table import EventTable


def row_fault(chunk: Mapping[str, NDArray[Any]], texts: Mapping[str, Sequence[str]]) -> Fault | None:
    """The first row that contradicts itself, None if none does."""
    event, call, horizon, calls = chunk["event"], chunk["call"], chunk["horizon"], chunk["calls"]
    valid, exclusion = chunk["valid"], chunk["exclusion"]
    rules = (
        (call > horizon, "call", "{call} is above the horizon, {horizon}", "write a call from 0 to the horizon"),
        (
            (event == VERIFIED) & (call < 1),
            "call",
            "{call}: verified without a call",
            "write the call of the first pass",
        ),
        (calls < call, "calls", "{calls} is less than the call of the event, {call}", "write how many calls were made"),
        (calls > horizon, "calls", "{calls} is above the horizon, {horizon}", "write at most the horizon"),
        (
            valid & (exclusion != MISSING),
            "exclusion",
            "{exclusion!r} of a valid try",
            "leave it empty, or set valid to false",
        ),
        (~valid & (exclusion == MISSING), "exclusion", "is empty, and the try is not valid", "say why it is excluded"),
        (
            ~valid & (event != CENSORED),
            "event",
            "{event} of an excluded try",
            "write censored: what was lost has no outcome",
        ),
        (
            (chunk["repassed_at"] != MISSING) & (chunk["unpassed_at"] == MISSING),
            "repassed_at",
            "{repassed_at} without unpassed_at",
            "give the call at which it stopped passing",
        ),
    )
    found = []
    for wrong, column, what, mend in rules:
        if wrong.any():
            index = int(wrong.argmax())
            found.append(Fault(index, column, what.format_map(_shown(chunk, texts, index)), mend))
    return min(found, key=lambda fault: fault.at, default=None)


def check_attempts(table: EventTable) -> None:
    """Checks keys, valid tries and what all tries of an attempt share.

    Raises:
        InputError: a key occurs twice, an attempt has two valid tries, or its tries disagree.
    """
    attempt = _numbered(table, KEY[:-1])
    order = np.lexsort((table["try"], attempt))
    attempt, tries = attempt[order], table["try"][order]
    same = attempt[1:] == attempt[:-1]
    _refuse(table, order, same & (tries[1:] == tries[:-1]), "try", "{value}: duplicate of {other}: the same attempt "
            "and try", "remove one of them, or give it another repeat or try")  # fmt: skip
    for name in ("digest", "origin", "horizon"):
        values = table[name][order]
        _refuse(table, order, same & (values[1:] != values[:-1]), name, "{value} is not that of {other}: tries of one "
                "attempt agree", "write the same in both, or give another repeat")  # fmt: skip
    valid = np.flatnonzero(table["valid"][order])
    again = np.zeros(len(order), np.bool_)
    again[valid[1:]] = attempt[valid[1:]] == attempt[valid[:-1]]
    if again.any():
        index = int(order[again].min())
        at = int(np.flatnonzero(order == index)[0])
        other = int(order[valid[np.searchsorted(valid, at) - 1]])
        _raise(table, index, other, "valid", "duplicate attempt: a second valid try, the first is {other}",
               "exclude one of them")  # fmt: skip


def _numbered(table: EventTable, names: Sequence[str]) -> NDArray[np.int64]:
    """One number per distinct combination of the columns."""
    number = np.zeros(len(table), np.int64)
    room = 1
    for name in names:
        column = table[name].astype(np.int64) + 1
        size = int(column.max()) + 1
        if room > 2**62 // size:
            number = np.unique(number, return_inverse=True)[1].astype(np.int64)
            room = int(number.max()) + 1
        number, room = number * size + column, room * size
    return number


def _refuse(
    table: EventTable, order: NDArray[np.int64], wrong: NDArray[np.bool_], column: str, what: str, mend: str
) -> None:
    """Raises for the first pair of neighbours (in ``order``) that is wrong."""
    at = np.flatnonzero(wrong)
    if len(at):
        later, earlier = np.maximum(order[at], order[at + 1]), np.minimum(order[at], order[at + 1])
        first = int(later.argmin())
        _raise(table, int(later[first]), int(earlier[first]), column, what, mend)


def _raise(table: EventTable, index: int, other: int, column: str, what: str, mend: str) -> None:
    file, row = table.place(index)
    other_file, other_row = table.place(other)
    there = f"row {other_row}" + (f" of {other_file}" if other_file != file else "")
    shown = _shown({column: table[column]}, table.values, index).get(column)
    raise InputError(what.format(value=shown, other=there), file=file, row=row, column=column, mend=mend)


def _shown(chunk: Mapping[str, NDArray[Any]], texts: Mapping[str, Sequence[str]], index: int) -> dict[str, Any]:
    """The row as a person would read it."""
    shown: dict[str, Any] = {}
    for name, values in chunk.items():
        value = values[index].item()
        if name in texts:
            shown[name] = "" if value == MISSING else texts[name][value]
        elif name == "event":
            shown[name] = next(text for text, code in EVENTS.items() if code == value)
        else:
            shown[name] = value
    return shown
