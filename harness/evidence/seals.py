"""Seals: the last line of a bundle signs all lines since the seal before it, and that seal.

A seal proves that the bytes are those that the key's holder signed. It does not prove that they are true.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from harness.canonical import canonical_json, digest_bytes
from harness.evidence.keys import bytes_of, raw_public, signed, text_of
from harness.evidence.lines import Entry, damaged_field, encode, offset_of

if TYPE_CHECKING:
    from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

FORMAT = "restartlab-evidence/1"
STATEMENT = "The signature proves identity of bytes only: not that the observations are true, nor that they are fair."
KIND = "seal"

#: What occurs in every seal, and in no other line; one change of a byte leaves one of them whole.
_MARKS = (b'"manifest_sha256":"', b'"public_key":"', b'"kind":"seal"')


def manifest_of(entries: Sequence[Entry], files: Sequence[Sequence[Any]]) -> dict[str, Any]:
    """What a seal signs: an entry per line, and (path, bytes, SHA-256) of the files that the lines refer to."""
    return {
        "format": FORMAT, "statement": STATEMENT, "lines": [entry.data() for entry in entries],
        "files": [list(file) for file in files],
    }  # fmt: skip


def seal_line(
    entries: Sequence[Entry], files: Sequence[Sequence[Any]], key: Ed25519PrivateKey
) -> tuple[bytes, Entry]:  # fmt: skip
    """The seal over lines, as a line, and its entry."""
    manifest = manifest_of(entries, files)
    digest = digest_bytes(canonical_json(manifest))
    body = _body(manifest, raw_public(key), key.sign(bytes.fromhex(digest)))
    seq = entries[-1].seq + 1
    return encode(seq, KIND, f"{KIND}/{seq}", body, entries[-1].sha256)


def _body(manifest: Mapping[str, Any], public: bytes, signature: bytes) -> dict[str, Any]:
    """The signature is that of the 32 bytes of the manifest's SHA-256."""
    return {
        "manifest": manifest, "manifest_sha256": digest_bytes(canonical_json(manifest)),
        "public_key": text_of(public), "signature": text_of(signature),
    }  # fmt: skip


def is_seal(record: Mapping[str, Any] | None) -> bool:
    """Whether a parsed line is a seal of the form that ``seal_line`` gives."""
    if record is None or record["kind"] != KIND:
        return False
    manifest = record["body"].get("manifest")
    if set(record["body"]) != {"manifest", "manifest_sha256", "public_key", "signature"}:
        return False
    if not isinstance(manifest, dict) or set(manifest) != {"format", "statement", "lines", "files"}:
        return False
    try:
        files = [(str(name), int(size), str(digest)) for name, size, digest in manifest["files"]]
        return len(entries_of(record)) > 0 and manifest["files"] == [list(file) for file in files]
    except (ValueError, TypeError):
        return False


def entries_of(record: Mapping[str, Any]) -> list[Entry]:
    """The entries of a seal's manifest."""
    return [Entry.of(one) for one in record["body"]["manifest"]["lines"]]


def looks_sealed(line: bytes) -> bool:
    """Whether a line that is no intact seal was probably one."""
    return any(mark in line for mark in _MARKS)


def seal_fault(record: Mapping[str, Any], others: Iterable[bytes]) -> str | None:
    """The field of an intact-looking seal that does not hold; None if all do.

    Args:
        others: public keys that the bundle names elsewhere, by which a damaged key is told from a damaged signature.
    """
    body = record["body"]
    digest = digest_bytes(canonical_json(body["manifest"]))
    public, signature = bytes_of(body["public_key"], 32), bytes_of(body["signature"], 64)
    if signature is None:
        return "signature"
    if public is not None and signed(public, signature, bytes.fromhex(digest)):
        return None if body["manifest_sha256"] == digest else "manifest_sha256"
    keys = [key for key in others if key != public]
    if any(signed(key, signature, bytes.fromhex(digest)) for key in keys):
        return "public_key"
    stated = bytes_of_hex(body["manifest_sha256"])
    if stated is not None and any(signed(key, signature, stated) for key in [*keys, *([public] if public else [])]):
        return "manifest"
    return "signature"


def damaged_seal(line: bytes, entries: Sequence[Entry], files: Sequence[Sequence[Any]], public: bytes) -> str:
    """Which field of a damaged seal differs first from the seal that these lines would have."""
    manifest = manifest_of(entries, files)
    seq, prev = entries[-1].seq + 1, entries[-1].sha256
    _, entry = encode(seq, KIND, f"{KIND}/{seq}", _body(manifest, public, bytes(64)), prev)
    place = offset_of(entry, "signature")
    length = next(size for name, size, _ in entry.parts if name == "signature")
    found = line[place : place + length]
    quoted = found[:1] == found[-1:] == b'"'
    signature = bytes_of(found[1:-1].decode("ascii", "replace"), 64) if quoted else None
    holds = signature is not None and signed(public, signature, bytes.fromhex(digest_bytes(canonical_json(manifest))))
    parts = tuple((name, size, digest_bytes(found) if name == "signature" and holds else digest)
                  for name, size, digest in entry.parts)  # fmt: skip
    return damaged_field(line, Entry(seq, KIND, entry.id, entry.bytes, entry.sha256, parts), prev)


def bytes_of_hex(text: object) -> bytes | None:
    """The 32 bytes of a SHA-256 in hex; None if it is none."""
    try:
        data = bytes.fromhex(text) if isinstance(text, str) else b""
    except ValueError:
        return None
    return data if len(data) == 32 and data.hex() == text else None
