"""Lines of a bundle: one record each, canonical JSON, with the layout by which damage is located."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from rfc8785 import CanonicalizationError

from harness.canonical import canonical_json, digest_bytes
from harness.store.ledger import GENESIS

#: A field's name, its bytes, and their SHA-256.
Part = tuple[str, int, str]


@dataclass(frozen=True)
class Entry:
    """What a seal says of one line. ``parts`` are the fields of its body in canonical order."""

    seq: int
    kind: str
    id: str
    bytes: int
    sha256: str
    parts: tuple[Part, ...]

    def data(self) -> list[Any]:
        """As JSON."""
        return [self.seq, self.kind, self.id, self.bytes, self.sha256, [list(part) for part in self.parts]]

    @classmethod
    def of(cls, data: Any) -> Entry:
        """From JSON; raises ``ValueError`` or ``TypeError`` if it is none."""
        seq, kind, id_, size, sha256, parts = data
        return cls(int(seq), str(kind), str(id_), int(size), str(sha256),
                   tuple((str(name), int(length), str(digest)) for name, length, digest in parts))  # fmt: skip


def encode(seq: int, kind: str, id_: str, body: Mapping[str, Any], prev: str) -> tuple[bytes, Entry]:
    """A line without its line feed, and its entry. ``body`` is plain JSON; ``prev`` the digest of the line before."""
    fields = [(name, canonical_json(body[name])) for name in _ordered(body)]
    line = canonical_json({"body": body, "id": id_, "kind": kind, "prev": prev, "seq": seq})
    parts = tuple((name, len(value), digest_bytes(value)) for name, value in fields)
    return line, Entry(seq, kind, id_, len(line), digest_bytes(line), parts)


def first_record(line: bytes) -> dict[str, Any] | None:
    """The record that a line begins with, where more follows it; None where that is not so."""
    try:
        text = line.decode("utf-8", "surrogateescape")
        _, end = json.JSONDecoder().raw_decode(text)
    except (ValueError, RecursionError):
        return None
    return parse(text[:end].encode("utf-8", "surrogateescape")) if end < len(text) else None


def parse(line: bytes) -> dict[str, Any] | None:
    """The record in a line; None unless the line is exactly the canonical JSON of a record."""
    try:
        found = json.loads(line)
        if not isinstance(found, dict) or set(found) != {"body", "id", "kind", "prev", "seq"}:
            return None
        named = isinstance(found["id"], str) and isinstance(found["kind"], str) and isinstance(found["prev"], str)
        if not named or not isinstance(found["body"], dict) or type(found["seq"]) is not int:
            return None
        return found if canonical_json(found) == line else None
    except (ValueError, RecursionError, CanonicalizationError):
        return None


def entry_of(record: Mapping[str, Any]) -> Entry:
    """The entry of a parsed record."""
    return encode(record["seq"], record["kind"], record["id"], record["body"], record["prev"])[1]


def offset_of(entry: Entry, field: str) -> int:
    """Where the value of a body's field begins in its line."""
    place = len(b'{"body":{')
    for name, length, _ in entry.parts:
        place += len(canonical_json(name)) + 1
        if name == field:
            return place
        place += length + 1
    raise KeyError(field)


def damaged_field(line: bytes, entry: Entry, prev: str) -> str:
    """Which field of the record a changed line differs in first, by the layout that its entry gives."""
    place, last = 0, "body"
    for name, frame, length, digest in _layout(entry, prev):
        if line[place : place + len(frame)] != frame:
            # What follows a value ends it: where that differs in its first byte, the value itself goes on.
            goes_on = frame[:1] in (b",", b"}") and line[place : place + 1] != frame[:1]
            return last if goes_on else name
        place += len(frame)
        if hashlib.sha256(line[place : place + length]).hexdigest() != digest:
            return name
        place, last = place + length, name
    return "end of line"


def _layout(entry: Entry, prev: str) -> Iterator[tuple[str, bytes, int, str]]:
    """Of each field in its order: name, the bytes up to its value, the length and SHA-256 of its value."""
    yield "body", b'{"body":{', 0, digest_bytes(b"")
    for number, (name, length, digest) in enumerate(entry.parts):
        yield name, (b"," if number else b"") + canonical_json(name) + b":", length, digest
    tail = {"id": entry.id, "kind": entry.kind, "prev": prev, "seq": entry.seq}
    for name, value in tail.items():
        text = canonical_json(value)
        yield name, (b"}," if name == "id" else b",") + canonical_json(name) + b":", len(text), digest_bytes(text)
    yield "end of line", b"}", 0, digest_bytes(b"")


def genesis() -> str:
    """What the first line names as the digest of the line before it."""
    return GENESIS


def _ordered(body: Mapping[str, Any]) -> list[str]:
    return sorted(body, key=lambda name: name.encode("utf-16-be"))
