"""Canonical JSON (RFC 8785) and the SHA-256 digests built on it."""

from __future__ import annotations

import hashlib
from pathlib import Path
from typing import Any

import rfc8785


def canonical_json(value: Any) -> bytes:
    """RFC 8785 bytes of a JSON value; raises ``rfc8785.CanonicalizationError`` on NaN and infinities."""
    return rfc8785.dumps(value)


def digest_json(value: Any) -> str:
    """SHA-256 (hex) of the canonical JSON of ``value``."""
    return hashlib.sha256(canonical_json(value)).hexdigest()


def digest_bytes(data: bytes) -> str:
    """SHA-256 (hex) of ``data``."""
    return hashlib.sha256(data).hexdigest()


def digest_file(path: Path) -> str:
    """SHA-256 (hex) of a file, streamed."""
    with open(path, "rb") as stream:
        return hashlib.file_digest(stream, "sha256").hexdigest()
