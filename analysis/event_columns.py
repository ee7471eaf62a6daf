"""The columns of an event table, and how the text of a cell becomes a value: strictly, and once per distinct text."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from analysis.cells import CENSORED, TERMINAL, VERIFIED

EVENTS = {"verified": VERIFIED, "terminal": TERMINAL, "censored": CENSORED}
ORIGINS = ("collected", "synthetic", "imported", "reconstructed")

#: Stands for an empty cell in columns of whole numbers and of texts; empty amounts are NaN.
MISSING = -1

_MOST = 2**31 - 1
_WHOLE = re.compile(r"-?(0|[1-9][0-9]*)", re.ASCII)
_NUMBER = re.compile(r"-?([0-9]+(\.[0-9]*)?|\.[0-9]+)([eE][+-]?[0-9]+)?", re.ASCII)
_CONTROL = re.compile("[\x00-\x1f\x7f-\x9f\u2028\u2029]")
_LONGEST = 400
_AMOUNT = "write a number of 0 or more, or leave it empty if unknown"


@dataclass(frozen=True)
class Column:
    """One column of the design's table.

    Args:
        kind: text, event, whole (number), amount (non-negative number) or flag.
        needed: whether a file must have it; one that is absent is filled with ``absent``.
        filled: whether every cell must hold a value.
        least: smallest whole number allowed.
    """

    name: str
    kind: str
    needed: bool = True
    filled: bool = True
    least: int = 0
    absent: Any = None


COLUMNS = (
    Column("stage", "text"),
    Column("digest", "text", needed=False, filled=False),
    Column("origin", "text", needed=False, absent="imported"),
    Column("task", "text"),
    Column("runtime", "text"),
    Column("arm", "text"),
    Column("repeat", "whole", least=1),
    Column("try", "whole", needed=False, least=1, absent=1),
    Column("horizon", "whole", least=1),
    Column("event", "event"),
    Column("call", "whole"),
    Column("action", "whole", needed=False, filled=False),
    Column("reason", "text", filled=False),
    Column("calls", "whole"),
    Column("cost_usd", "amount", filled=False),
    Column("wall_s", "amount", filled=False),
    Column("unpassed_at", "whole", needed=False, filled=False, least=1),
    Column("repassed_at", "whole", needed=False, filled=False, least=1),
    Column("valid", "flag"),
    Column("exclusion", "text", filled=False),
)
NAMES = tuple(column.name for column in COLUMNS)
KEY = ("stage", "task", "runtime", "arm", "repeat", "try")


class Bad(Exception):
    """A cell that is refused: its value as given, what is wrong, the mend."""

    def __init__(self, value: Any, what: str, mend: str):
        self.value, self.what, self.mend = value, what, mend
        super().__init__(what)


class Fault(NamedTuple):
    """The first refused cell of a chunk of rows."""

    at: int
    column: str
    what: str
    mend: str


class Texts(dict[str, int]):
    """Distinct texts of one column to their codes, in order of appearance; shared by all chunks of a table."""

    def __init__(self, column: Column):
        super().__init__()
        self.column = column
        self.distinct: list[str] = []

    def __missing__(self, text: str) -> int:
        if not text:
            if self.column.filled:
                raise Bad(text, "is empty", "fill it in")
            self[text] = MISSING
            return MISSING
        if found := _CONTROL.search(text):
            raise Bad(text, f"{_shown(text)} holds the control character {found[0]!r}", "remove it")
        if len(text) > _LONGEST:
            raise Bad(text, f"{_shown(text)} has {len(text)} characters", f"write at most {_LONGEST}")
        if self.column.name == "origin" and text not in ORIGINS:
            raise Bad(text, f"{_shown(text)} is not an origin", f"write one of {', '.join(ORIGINS)}")
        # A new string, lest a slice of a large buffer be kept.
        self[text] = len(self.distinct)
        self.distinct.append(text)
        return self[text]


class _Wholes(dict[str, int]):
    """Texts of whole numbers to their values; forgets when large, so that its memory is bounded."""

    def __init__(self, column: Column):
        super().__init__()
        self.column = column

    def __missing__(self, text: str) -> int:
        value = whole(text, self.column)
        if len(self) > 50_000:
            self.clear()
        self[text] = value
        return value


class _Events(dict[str, int]):
    def __missing__(self, text: str) -> int:
        known = ", ".join(EVENTS)
        raise Bad(text, f"{_shown(text)} is not an event" if text else "is empty", f"write one of {known}")


class _Flags(dict[str, bool]):
    def __missing__(self, text: str) -> bool:
        # Spreadsheets write TRUE and FALSE.
        if text.lower() not in ("true", "false"):
            raise Bad(text, f"{_shown(text)} is neither true nor false" if text else "is empty", "write true or false")
        self[text] = text.lower() == "true"
        return self[text]


class Reader:
    """Turns the cells of one column, chunk by chunk, from text into an array."""

    def __init__(self, column: Column):
        self.column = column
        self.texts = Texts(column) if column.kind == "text" else None
        memos: dict[str, Any] = {"whole": _Wholes(column), "event": _Events(EVENTS), "flag": _Flags()}
        self.memo: dict[str, Any] = self.texts if self.texts is not None else memos.get(column.kind, {})

    def read(self, cells: Sequence[str]) -> NDArray[Any] | Fault:
        """The values of the cells, or the first of them that is bad."""
        try:
            if self.column.kind == "amount":
                return self._amounts(cells)
            return np.fromiter(map(self.memo.__getitem__, cells), DTYPES[self.column.kind], len(cells))
        except Bad as bad:
            return Fault(cells.index(bad.value), self.column.name, bad.what, bad.mend)

    def _amounts(self, cells: Sequence[str]) -> NDArray[np.float64]:
        for cell in set(cells):
            if cell and not _NUMBER.fullmatch(cell):
                # Whichever comes first in the file.
                first = next(item for item in cells if item and not _NUMBER.fullmatch(item))
                raise Bad(first, f"{_shown(first)} is not a finite number", _AMOUNT)
        values = np.array([float(cell) if cell else np.nan for cell in cells], np.float64)
        for wrong, what in ((np.isinf(values), "is not finite"), (values < 0, "is negative")):
            if wrong.any():
                cell = cells[int(wrong.argmax())]
                raise Bad(cell, f"{_shown(cell)} {what}", _AMOUNT)
        return values


#: How the columns are held in memory: 80 bytes a row in all.
DTYPES: dict[str, Any] = {"text": np.int32, "event": np.int8, "whole": np.int32, "amount": np.float64, "flag": np.bool_}


def whole(text: str, column: Column) -> int:
    """The whole number that ``text`` spells; MISSING for an empty cell where that is allowed.

    Raises:
        Bad: it spells none, or one outside the column's range.
    """
    if not text:
        if column.filled:
            raise Bad(text, "is empty", "write a whole number")
        return MISSING
    if not _WHOLE.fullmatch(text) or text == "-0":
        raise Bad(text, f"{_shown(text)} is not a whole number", "write digits only, such as 30")
    return in_range(int(text) if len(text) < 12 else _MOST + 1, column, text)


def in_range(value: int, column: Column, shown: object) -> int:
    """``value`` if the column allows it."""
    if value < column.least:
        raise Bad(shown, f"{shown} is less than {column.least}", f"write {column.least} or more")
    if value > _MOST:
        raise Bad(shown, f"{_shown(str(shown))} is larger than {_MOST}", f"write at most {_MOST}")
    return value


def _shown(text: str) -> str:
    return repr(text if len(text) <= 60 else text[:57] + "...")
