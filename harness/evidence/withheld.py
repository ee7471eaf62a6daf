"""Marks that stand for withheld values, and the auditors' file that holds the originals."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from harness.canonical import digest_json
from harness.evidence.plain import plain

#: Access of what no auditor gets from the auditors' file.
NOBODY, ELSEWHERE = "none: a credential", "in the database"


class Withheld(NamedTuple):
    """An original value, for the auditors' file."""

    record: str
    field: str
    salt: str
    value: Any


def mark(value: Any, reason: str, auditors: str, salt: str) -> dict[str, Any]:
    """What stands in place of a value."""
    return {"withheld": True, "reason": reason, "digest": salted(salt, plain(value)), "auditor_access": auditors}


def salted(salt: str, value: Any) -> str:
    """Digest of a withheld value; without the salt, short values could be found by trying."""
    return digest_json({"salt": salt, "value": value})


def marked(value: Any) -> bool:
    """Whether a value is such a mark."""
    return isinstance(value, dict) and value.get("withheld") is True


def withheld_in(value: Any, path: str = "") -> Iterator[tuple[str, Mapping[str, Any]]]:
    """(path, mark) of what is withheld in a body."""
    if marked(value):
        yield path, value
    elif isinstance(value, dict):
        for key, child in value.items():
            yield from withheld_in(child, f"{path}.{key}" if path else key)
    elif isinstance(value, list):
        for number, child in enumerate(value):
            yield from withheld_in(child, f"{path}[{number}]")


def as_text(value: Any) -> Any:
    """A value with a text in place of each mark, for readers that expect one."""
    if marked(value):
        return f"withheld: {value['reason']}"
    if isinstance(value, dict):
        return {key: as_text(child) for key, child in value.items()}
    return [as_text(child) for child in value] if isinstance(value, list) else value


def auditors_text(kept: Iterable[Withheld]) -> bytes:
    """The auditors' file: JSON Lines of record, field, salt and value."""
    return "".join(json.dumps(one._asdict(), ensure_ascii=True) + "\n" for one in kept).encode()


def auditors_faults(
    records: Sequence[Mapping[str, Any]], lines: Iterable[tuple[int, Mapping[str, Any]]]
) -> Iterator[tuple[str, str, str]]:
    """(record, field, what) where an auditors' file and what a bundle withholds do not agree."""
    by_id = {record["id"]: dict(withheld_in(record["body"])) for record in records}
    seen = set()
    for number, line in lines:
        record, field = str(line.get("record")), str(line.get("field"))
        found = by_id.get(record, {}).get(field)
        if found is None:
            yield record, field, f"line {number}: nothing is withheld there"
        elif salted(str(line.get("salt")), line.get("value")) != found["digest"]:
            yield record, field, f"line {number}: is not the value that was withheld"
        seen.add((record, field))
    for record, marks in by_id.items():
        for field, one in marks.items():
            if (record, field) not in seen and one["auditor_access"] not in (NOBODY, ELSEWHERE):
                yield record, field, "is withheld, and not in the auditors' file"
