"""Reads the verdicts that somebody published for a set of trajectories."""

from __future__ import annotations

import csv
import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from harness.errors import InputError

_YES, _NO = {"true", "1", "yes", "resolved", "pass"}, {"false", "0", "no", "unresolved", "fail", ""}


def read_verdicts(path: Path) -> dict[str, bool]:
    """Whether each instance was resolved, by instance id in small letters.

    Args:
        path: CSV with the columns ``instance_id`` and ``resolved``, or a report of SWE-bench's evaluation (JSON with
            ``resolved_ids`` and ``unresolved_ids``), or a JSON object of instance id to true or false.

    Raises:
        InputError: it is none of these.
    """
    try:
        text = path.read_text(encoding="utf-8-sig")
    except (OSError, UnicodeDecodeError) as error:
        raise InputError(f"cannot be read ({error})", file=path, mend="check the file's name") from None
    found = _from_json(json_or_none(text)) if path.suffix == ".json" else _from_csv(text, path)
    if found is None:
        mend = "give CSV with instance_id and resolved, or the JSON report of SWE-bench's evaluation"
        raise InputError("holds no verdicts", file=path, mend=mend)
    return {name.lower(): value for name, value in found.items()}


def json_or_none(text: str) -> Any:
    """The JSON data in ``text``; None when it is none."""
    try:
        return json.loads(text)
    except ValueError:
        return None


def _from_json(data: Any) -> dict[str, bool] | None:
    if not isinstance(data, Mapping):
        return None
    if isinstance(data.get("resolved_ids"), list):
        lists = {"resolved_ids": True, "unresolved_ids": False, "empty_patch_ids": False, "error_ids": False}
        return {str(name): value for key, value in lists.items() for name in data.get(key) or ()}
    plain = {str(name): value for name, value in data.items() if isinstance(value, bool)}
    return plain if len(plain) == len(data) else None


def _from_csv(text: str, path: Path) -> dict[str, bool] | None:
    rows = csv.DictReader(text.splitlines())
    if not {"instance_id", "resolved"} <= set(rows.fieldnames or ()):
        return None
    found = {}
    for number, row in enumerate(rows, 2):
        value = (row["resolved"] or "").strip().lower()
        if value not in _YES | _NO:
            raise InputError(f"{value!r} is no verdict", file=path, key=f"row {number}, column resolved",
                             mend="write true or false")  # fmt: skip
        found[(row["instance_id"] or "").strip()] = value in _YES
    return found
