"""Puts hidden files over a candidate's layer, whatever the candidate did to the folders that they are in."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from harness.canonical import digest_bytes
from harness.workspace.manifest import Entry, Manifest, encode_name

_WHITEOUT = Entry("whiteout")


def with_files(
    candidate: Manifest, base: Manifest, files: Mapping[str, bytes | None]
) -> tuple[dict[str, Entry], dict[str, bytes]]:
    """The layer of a candidate with ``files`` in place, and the content of these by SHA-256.

    A folder on the way to a file that the candidate deleted or replaced is there again, empty but for the file.

    Args:
        files: content by path; None: the file is deleted.
    """
    merged = dict(candidate)
    contents: dict[str, bytes] = {}
    for path, content in files.items():
        name = encode_name(path)
        parts = name.split("/")
        gone = False
        for depth in range(1, len(parts)):
            folder, child = "/".join(parts[:depth]), "/".join(parts[: depth + 1])
            entry = merged.get(folder)
            if entry is not None and entry.kind != "directory":
                gone = True
            if gone:
                merged[folder] = Entry("directory", 0o755)
                merged |= {other: _WHITEOUT for other in _children(base, folder) if other not in merged}
                if merged.get(child) == _WHITEOUT:
                    del merged[child]
            elif entry is not None:
                merged[folder] = replace(entry, mode=entry.mode | 0o755)
        for below in [other for other in merged if other.startswith(f"{name}/")]:
            del merged[below]
        merged.pop(name, None)
        if content is not None:
            digest = digest_bytes(content)
            merged[name], contents[digest] = Entry("file", 0o644, digest, len(content)), content
        elif name in base:
            merged[name] = _WHITEOUT
    return merged, contents


def _children(base: Manifest, folder: str) -> list[str]:
    """Paths directly below ``folder`` in the base."""
    prefix = f"{folder}/"
    return [path for path in base if path.startswith(prefix) and "/" not in path[len(prefix) :]]
