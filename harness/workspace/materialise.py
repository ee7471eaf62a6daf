"""Writes a layer back to disk, as a folder that overlayfs can mount as a lower or as an upper.

The manifest may come from an adversary: a path that leaves the folder is refused, links are created but never
followed, setuid and setgid bits are dropped, and special files other than whiteouts are made only where an agent goes
on from the layer (``restore``), who left them there.
"""

from __future__ import annotations

import os
import stat
from collections.abc import Callable
from pathlib import Path

from harness.errors import InputError
from harness.sandbox.host import give
from harness.workspace.manifest import Entry, Manifest, decode_name, encode_name

#: Special files that anybody may make, by their kind.
_NODES = {"fifo": stat.S_IFIFO, "socket": stat.S_IFSOCK}
_NEW_FILE = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC


def safe_path(path: str) -> str:
    """``path`` decoded; raises ``InputError`` if it is absolute, empty, steps upwards or is not encoded as here."""
    name = decode_name(path)
    # The encoding first: "%2e%2e" and "a%2f..%2fb" are steps upwards too.
    if encode_name(name) != path or "\0" in name or any(part in ("", ".", "..") for part in name.split("/")):
        raise InputError(f"unsafe path {path!r} in a layer", mend="the layer was not written by restartlab; discard it")
    return name


def materialise(
    manifest: Manifest, target: Path, content: Callable[[str], bytes], base: Manifest, *, whole: bool = False
) -> None:
    """Creates the entries of ``manifest`` below the empty folder ``target``.

    Args:
        content: file content by SHA-256.
        base: the base's manifest; folders that exist there keep its mode where the layer does not change them.
        whole: named pipes, sockets and sticky bits too.
    """
    bits = 0o1777 if whole else 0o777
    for path in manifest:
        safe_path(path)
    needed = {path.rpartition("/")[0] for path in manifest} - {""}
    folders: dict[str, int] = {}
    for path in sorted(needed):
        parts = path.split("/")
        for depth in range(1, len(parts) + 1):
            parent = "/".join(parts[:depth])
            folders[parent] = base[parent].mode if parent in base else 0o755
    folders |= {path: entry.mode for path, entry in manifest.items() if entry.kind == "directory"}
    for path in sorted(folders):
        place = target / decode_name(path)
        place.mkdir(mode=0o700)
        give(place)
    for path, entry in manifest.items():
        if entry.kind != "directory":
            _create(target / decode_name(path), entry, content, bits)
            if whole and entry.kind in _NODES:
                _make_node(target / decode_name(path), entry)
    for path in sorted(folders, reverse=True):  # last, so that a folder without permission can be filled
        (target / decode_name(path)).chmod(folders[path] & bits)


def _make_node(place: Path, entry: Entry) -> None:
    os.mknod(place, _NODES[entry.kind] | 0o600)
    place.chmod(entry.mode & 0o1777)
    give(place)


def _create(place: Path, entry: Entry, content: Callable[[str], bytes], bits: int) -> None:
    if entry.kind == "symlink":
        os.symlink(decode_name(entry.target or ""), place)
        give(place)
    elif entry.kind == "whiteout":
        os.mknod(place, stat.S_IFCHR | 0o600, os.makedev(0, 0))
    elif entry.kind == "file":
        end = os.open(place, _NEW_FILE, 0o600)
        try:
            with open(end, "wb", closefd=False) as stream:
                stream.write(content(entry.sha256 or ""))
            os.fchmod(end, entry.mode & bits)
        finally:
            os.close(end)
        give(place)
