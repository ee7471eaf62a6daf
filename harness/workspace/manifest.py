"""Manifests: what a tree or a layer holds, entry by entry, as plain data with a canonical digest."""

from __future__ import annotations

import os
import stat
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Literal
from urllib.parse import quote_from_bytes, unquote_to_bytes

from harness.canonical import digest_bytes, digest_json
from harness.workspace.files import opened, read_file

Kind = Literal["file", "directory", "symlink", "whiteout", "fifo", "socket", "device", "oversize"]
#: Kinds that no layer can be made of: an evaluator sees nothing in their place.
SPECIAL = ("fifo", "socket", "device", "oversize")

#: Bytecode: left out of every digest and never mounted in an evaluator.
BYTECODE = "__pycache__"
_SAFE = "/!$&'()*+,;=:@-._~ #?[]{}|<>^`\""


@dataclass(frozen=True)
class Entry:
    """One path of a manifest. ``mode`` is the permission bits; content is named by its SHA-256."""

    kind: Kind
    mode: int = 0
    sha256: str | None = None
    size: int = 0
    target: str | None = None
    """Of a symbolic link, percent-encoded like paths."""

    def data(self) -> dict[str, Any]:
        shown: dict[str, Any] = {"kind": self.kind}
        if self.kind not in ("whiteout", "symlink"):
            shown["mode"] = self.mode
        if self.kind == "file":
            shown |= {"sha256": self.sha256, "size": self.size}
        if self.kind == "oversize":
            shown["size"] = self.size
        if self.kind == "symlink":
            shown["target"] = self.target
        return shown


Manifest = Mapping[str, Entry]


def encode_name(name: str) -> str:
    """A path as ASCII text: bytes outside printable ASCII, and ``%``, are percent-encoded."""
    return quote_from_bytes(os.fsencode(name), safe=_SAFE)


def decode_name(text: str) -> str:
    """Inverse of ``encode_name``."""
    return os.fsdecode(unquote_to_bytes(text))


def to_data(manifest: Manifest) -> dict[str, Any]:
    """The manifest as JSON data."""
    return {path: entry.data() for path, entry in sorted(manifest.items())}


def from_data(data: Mapping[str, Any]) -> dict[str, Entry]:
    """Inverse of ``to_data``."""
    return {path: Entry(**entry) for path, entry in data.items()}


def manifest_digest(manifest: Manifest) -> str:
    """SHA-256 over the canonical JSON of the manifest."""
    return digest_json(to_data(manifest))


def is_whiteout(facts: os.stat_result) -> bool:
    """Whether an upper's entry says that the lower one is deleted (overlayfs: a character device 0/0)."""
    return stat.S_ISCHR(facts.st_mode) and facts.st_rdev == 0


def describe(name: str, folder: int, facts: os.stat_result) -> Entry:
    """The entry for ``name`` in ``folder``; reads a file's content."""
    mode = stat.S_IMODE(facts.st_mode)
    if stat.S_ISREG(facts.st_mode):
        content = read_file(name, folder)
        return Entry("file", mode, digest_bytes(content), len(content))
    if stat.S_ISDIR(facts.st_mode):
        return Entry("directory", mode)
    if stat.S_ISLNK(facts.st_mode):
        return Entry("symlink", target=encode_name(os.readlink(name, dir_fd=folder)))
    if is_whiteout(facts):
        return Entry("whiteout")
    if stat.S_ISFIFO(facts.st_mode):
        return Entry("fifo", mode)
    return Entry("socket" if stat.S_ISSOCK(facts.st_mode) else "device", mode)


def scan_tree(root: str, *, skip: tuple[str, ...] = (BYTECODE,)) -> dict[str, Entry]:
    """Manifest of the tree below ``root``; folders named in ``skip`` are left out."""

    def walk(name: str, folder: int | None, prefix: str) -> Iterator[tuple[str, Entry]]:
        with opened(name, folder, directory=True) as end:
            for entry in sorted(os.scandir(end), key=lambda e: e.name):
                if entry.name in skip:
                    continue
                facts = entry.stat(follow_symlinks=False)
                path = f"{prefix}{encode_name(entry.name)}"
                yield path, describe(entry.name, end, facts)
                if stat.S_ISDIR(facts.st_mode):
                    yield from walk(entry.name, end, f"{path}/")

    return dict(walk(root, None, ""))
