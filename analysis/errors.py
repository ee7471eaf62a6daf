"""The errors of analysis, each with the exit code that the command line returns for it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any


class AnalysisError(Exception):
    """Base of all errors that are printed without a traceback."""

    exit_code = 1


class InputError(AnalysisError):
    """Bad input, refused whole.

    Args:
        what: the problem, with the offending value.
        file: the file (or option) it came from.
        row: row in that file; of a CSV file the header is row 1, as spreadsheets show it.
        column: column in that file.
        mend: what the user can do about it.
    """

    exit_code = 2

    def __init__(
        self,
        what: str,
        *,
        file: object = None,
        row: int | None = None,
        column: str | None = None,
        mend: str | None = None,
    ):
        self.what, self.file, self.row, self.column, self.mend = what, file, row, column, mend
        parts = (file, row and f"row {row}", column and f"column {column}")
        place = ", ".join(str(part) for part in parts if part)
        text = f"{place}: {what}" if place else what
        super().__init__(f"{text}\n  mend: {mend}" if mend else text)


class NotIdentified(AnalysisError):
    """The data do not identify what was asked for; a refusal that carries what is known.

    Args:
        what: what is not identified, and why.
        known: what the data do say, by name (bounds, the last call that is identified ...).
        mend: what can be asked instead.
    """

    exit_code = 2

    def __init__(self, what: str, *, known: Mapping[str, Any] | None = None, mend: str | None = None):
        self.what, self.known, self.mend = what, dict(known or {}), mend
        said = "; ".join(f"{name} = {value}" for name, value in self.known.items())
        text = f"{what}\n  known: {said}" if said else what
        super().__init__(f"{text}\n  mend: {mend}" if mend else text)
