"""Writes bundles: records in, sealed lines out. A bundle only grows: more records follow its seal, under a new one."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from harness.errors import InputError
from harness.evidence.keys import raw_public, text_of
from harness.evidence.lines import Entry, encode, entry_of, genesis
from harness.evidence.plain import plain
from harness.evidence.seals import FORMAT, STATEMENT, seal_line

if TYPE_CHECKING:
    from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey


class Draft(NamedTuple):
    """A record before it has its place."""

    kind: str
    id: str
    body: Mapping[str, Any]


def header(key: Ed25519PrivateKey, about: Mapping[str, Any]) -> Draft:
    """The first record: format, rules, key, and what the bundle is about."""
    return Draft("bundle", "bundle", {
        "format": FORMAT, "statement": STATEMENT, "public_key": text_of(raw_public(key)),
        "rules": "One record a line: RFC 8785 canonical JSON in UTF-8, texts in NFC, ended by a line feed. prev is the "
                 "SHA-256 of the line before without its line feed. Ed25519 over the SHA-256 of the seal's manifest.",
        **about,
    })  # fmt: skip


def sealed(drafts: Iterable[Draft], key: Ed25519PrivateKey) -> bytes:
    """A whole bundle; the first draft is a ``header``.

    Raises:
        InputError: two records of one id.
    """
    return b"".join(line + b"\n" for line in _lines(drafts, [], key))


def extended(
    data: bytes, records: Sequence[Mapping[str, Any]], drafts: Iterable[Draft], key: Ed25519PrivateKey
) -> bytes:
    """The intact bundle ``data`` (with its parsed records) as it is, and more records under a new seal."""
    return data + b"".join(line + b"\n" for line in _lines(drafts, records, key))


def _lines(
    drafts: Iterable[Draft], before: Sequence[Mapping[str, Any]], key: Ed25519PrivateKey
) -> Iterable[bytes]:  # fmt: skip
    entries: list[Entry] = [entry_of(before[-1])] if before else []
    seen, files = {record["id"] for record in before}, []
    for draft in drafts:
        if draft.id in seen:
            raise InputError(f"two records are called {draft.id}", mend="name each record once")
        seen.add(draft.id)
        seq, prev = (entries[-1].seq + 1, entries[-1].sha256) if entries else (0, genesis())
        line, entry = encode(seq, draft.kind, draft.id, plain(draft.body), prev)
        entries.append(entry)
        if draft.kind == "blob" and "file" in draft.body:
            files.append([draft.body["file"], draft.body["bytes"], draft.body["sha256"]])
        yield line
    yield seal_line(entries, files, key)[0]


def write_bundle(place: Path, data: bytes, files: Mapping[str, bytes]) -> None:
    """Writes a bundle that is not there yet: one file, or with ``files`` a folder. All of it or nothing.

    Raises:
        InputError: something is there, or it cannot be written.
    """
    if os.path.lexists(place):
        raise InputError("is there already", file=place, mend="name another; a bundle is never overwritten")
    fresh = place.with_name(f".{place.name}.new-{os.getpid()}")
    try:
        place.parent.mkdir(parents=True, exist_ok=True)
        if not files:
            fresh.write_bytes(data)
        else:
            for name, content in {"bundle.jsonl": data, **files}.items():
                (fresh / name).parent.mkdir(parents=True, exist_ok=True)
                (fresh / name).write_bytes(content)
        fresh.rename(place)
    except OSError as error:
        raise InputError(f"cannot be written ({error.strerror})", file=place, mend="name a place elsewhere") from None
