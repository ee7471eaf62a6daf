"""Puts a kept layer back as the writable layer of a fresh workspace: exactly as it was captured, or not at all.

A layer is data from an adversary. Refused are links that leave the workspace, setuid and setgid files, devices, files
that were too large to keep, and names that no capture writes. What was written is read again, and its digest must be
the layer's. The work is that of the changed files; the base is not looked at.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from pathlib import Path

from harness.errors import InputError
from harness.workspace.layer import Layer, LayerReader
from harness.workspace.manifest import Entry, Manifest, decode_name
from harness.workspace.materialise import materialise, safe_path

#: Bytes of a name that a file system takes.
_NAME_MAX = 255
_SETUID = 0o6000
_MADE = ("file", "directory", "fifo", "socket", "whiteout")
_NOT_MADE: dict[str, str] = {"device": "is a device", "oversize": "was too large to keep"}
_MEND = "choose another state; this one is left as it is"


def refusals(manifest: Manifest, base: Manifest) -> Iterator[str]:
    """Why a layer on ``base`` is not put back, entry by entry; nothing when it may be."""
    for path, entry in manifest.items():
        if why := _name_refused(path) or _refused(path, entry) or _misplaced(path, manifest, base):
            yield f"{path!r} {why}"


def restore(
    layer: Layer, place: Path, content: Callable[[str], bytes], base: Manifest, reader: LayerReader | None = None
) -> None:
    """Fills the empty folder ``place`` with ``layer``.

    Args:
        content: file content by SHA-256.
        base: manifest of what the layer lies on; empty for /tmp and home.
        reader: reads ``place``, and knows its files afterwards.

    Raises:
        InputError: the layer is refused, or what was written is not what was captured; ``place`` is to be removed.
        BlobError: a content is missing or torn; likewise.
    """
    for refused in refusals(layer.manifest, base):
        raise InputError(f"layer {layer.digest[:12]} is not put back: {refused}", mend=_MEND)
    try:
        materialise(layer.manifest, place, content, base, whole=True)
    except (OSError, ValueError) as error:  # of a name or a value that no capture writes
        raise InputError(f"layer {layer.digest[:12]} cannot be put back: {error}", mend=_MEND) from None
    found = (reader or LayerReader(str(place), base)).read()
    if found.digest != layer.digest:
        odd = sorted(p for p in {*found.manifest, *layer.manifest} if found.manifest.get(p) != layer.manifest.get(p))
        what = f"layer {layer.digest[:12]} came back as {found.digest[:12]}, different at {odd[0]!r}"
        raise InputError(what + (f" and {len(odd) - 1} more" if len(odd) > 1 else ""), mend=_MEND)


def _name_refused(path: str) -> str | None:
    try:
        name = safe_path(path)
    except (InputError, ValueError):
        return "is a name that no capture writes"
    if any(len(os.fsencode(part)) > _NAME_MAX for part in name.split("/")):
        return f"holds a name of more than {_NAME_MAX} bytes"
    return None


def _refused(path: str, entry: Entry) -> str | None:
    if entry.kind in _NOT_MADE:
        return _NOT_MADE[entry.kind]
    if entry.kind == "symlink":
        return _link_refused(path, decode_name(entry.target or ""))
    if entry.mode & _SETUID:
        return f"is setuid or setgid (mode {entry.mode:04o})"
    return None if entry.kind in _MADE else f"is of the unknown kind {entry.kind!r}"


def _link_refused(path: str, target: str) -> str | None:
    """A target may step upwards at its beginning only, and not above the workspace: whatever links it then meets."""
    if target.startswith("/"):
        return f"is a symbolic link to the absolute {target!r}"
    if not target or "\0" in target:
        return "is a symbolic link to nothing"
    parts = [part for part in target.split("/") if part not in ("", ".")]
    up = next((n for n, part in enumerate(parts) if part != ".."), len(parts))
    if up > path.count("/") or ".." in parts[up:]:
        return f"is a symbolic link that may leave the workspace, to {target!r}"
    return None


def _misplaced(path: str, manifest: Manifest, base: Manifest) -> str | None:
    """An entry stands in folders only, be they the layer's or the base's."""
    parent = path
    while parent := parent.rpartition("/")[0]:
        above = manifest.get(parent) or base.get(parent)
        if above is None or above.kind != "directory":
            return f"lies below {parent!r}, which is no folder"
    return None
