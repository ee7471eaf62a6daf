"""Ed25519 keys of evidence: made, kept in PEM files, known by the SHA-256 of the public key."""

from __future__ import annotations

import base64
import binascii
import hashlib
import os
from pathlib import Path

from cryptography.exceptions import InvalidSignature, UnsupportedAlgorithm
from cryptography.hazmat.primitives import serialization
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey, Ed25519PublicKey

from harness.errors import InputError

_RAW = serialization.Encoding.Raw, serialization.PublicFormat.Raw


def make_keys(path: Path) -> str:
    """Writes a new private key to ``path`` (only the owner may read it) and its public key to ``path``.pub; its id.

    Raises:
        InputError: one of the files is there already, or cannot be written.
    """
    private = Ed25519PrivateKey.generate()
    secret = private.private_bytes(
        serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption()
    )
    public = private.public_key().public_bytes(
        serialization.Encoding.PEM, serialization.PublicFormat.SubjectPublicKeyInfo
    )
    beside = path.with_name(path.name + ".pub")
    for place in (path, beside):
        if os.path.lexists(place):
            raise InputError("is there already", file=place, mend="name another file; a lost key cannot be made again")
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        with open(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "wb") as stream:
            stream.write(secret)
        beside.write_bytes(public)
    except OSError as error:
        raise InputError(f"cannot be written ({error.strerror})", file=path, mend="name a file elsewhere") from None
    return key_id(raw_public(private))


def read_private(path: Path) -> Ed25519PrivateKey:
    """The private key in a PEM file; raises ``InputError``."""
    try:
        key = serialization.load_pem_private_key(_read(path), password=None)
    except (ValueError, TypeError, UnsupportedAlgorithm):
        key = None
    if not isinstance(key, Ed25519PrivateKey):
        raise InputError("is no Ed25519 private key in PEM without a password", file=path,
                         mend="restartlab evidence keygen FILE makes one")  # fmt: skip
    return key


def read_public(path: Path) -> bytes:
    """The raw public key (32 bytes) in a PEM file; raises ``InputError``."""
    try:
        key = serialization.load_pem_public_key(_read(path))
    except (ValueError, UnsupportedAlgorithm):
        key = None
    if not isinstance(key, Ed25519PublicKey):
        raise InputError("is no Ed25519 public key in PEM", file=path, mend="give the .pub file of the signer")
    return key.public_bytes(*_RAW)


def raw_public(private: Ed25519PrivateKey) -> bytes:
    """The public key of a private one, 32 bytes."""
    return private.public_key().public_bytes(*_RAW)


def key_id(public: bytes) -> str:
    """SHA-256 (hex) of a raw public key."""
    return hashlib.sha256(public).hexdigest()


def signed(public: bytes, signature: bytes, message: bytes) -> bool:
    """Whether ``signature`` is that of ``message`` by the key."""
    try:
        Ed25519PublicKey.from_public_bytes(public).verify(signature, message)
    except (InvalidSignature, ValueError):
        return False
    return True


def text_of(data: bytes) -> str:
    """Bytes as base64."""
    return base64.b64encode(data).decode("ascii")


def bytes_of(text: object, size: int | None = None) -> bytes | None:
    """The bytes of a base64 text; None if it is none, not the one way to write them, or not of ``size``."""
    if not isinstance(text, str):
        return None
    try:
        data = base64.b64decode(text, validate=True)
    except (binascii.Error, ValueError):
        return None
    return data if text_of(data) == text and (size is None or len(data) == size) else None


def _read(path: Path) -> bytes:
    try:
        return path.read_bytes()
    except OSError as error:
        raise InputError(f"cannot be read ({error.strerror})", file=path, mend="check name and permissions") from None
