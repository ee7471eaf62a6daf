"""Reads JSON Lines written by others: every refusal names file, line and key."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from harness.errors import InputError


def json_lines(path: Path) -> Iterator[tuple[int, dict[str, Any]]]:
    """(line number, object) of each line that is not blank.

    NaN and infinities are let through as floats, so that whoever checks the fields can name the one that holds them.

    Raises:
        InputError: unreadable, not UTF-8, no JSON object, or a key that stands twice.
    """
    try:
        with open(path, "rb") as stream:
            for number, raw in enumerate(stream, 1):
                if raw.strip():
                    yield number, _object(raw, path, number)
    except OSError as error:
        raise InputError(f"cannot be read ({error.strerror})", file=path, mend="check name and permissions") from None


def _object(raw: bytes, path: Path, number: int) -> dict[str, Any]:
    try:
        found = json.loads(raw.decode("utf-8"), object_pairs_hook=_once)
    except (ValueError, RecursionError) as error:
        what = str(error) if str(error) else type(error).__name__
        raise InputError(f"is no JSON: {what}", file=path, key=f"line {number}", mend="one object a line") from None
    if not isinstance(found, dict):
        raise InputError("holds no JSON object", file=path, key=f"line {number}", mend="one object a line")
    return found


def _once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) != len(pairs):
        names = [name for name, _ in pairs]
        raise ValueError(f"key {next(name for name in names if names.count(name) > 1)!r} stands twice")
    return found
