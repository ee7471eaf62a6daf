"""A layer: what an attempt changed against its base, read from the overlay's upper folder.

The upper is a change list already, so a snapshot looks at changed files only, never at the tree. It is put into one
canonical form (against the base's manifest): an entry equal to the base's, a deletion of what never was, a folder that
was only copied up, an opaque folder are all resolved, so equal trees have equal digests however they came about.

What lies deeper than any source tree is left out: a path of more than ``DEPTH_MAX`` names or ``PATH_MAX`` bytes. An
agent can nest folders until no path, and no reader that descends, reaches their end.

Of a file larger than ``FILE_MAX``, and of files, in the order of their paths, past ``TOTAL_MAX`` bytes, a layer holds
length and mode but no content, and an evaluator sees nothing there: reading them would take minutes, holes included.
"""

from __future__ import annotations

import os
import stat
from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property

from harness.canonical import digest_bytes
from harness.workspace.files import opened, read_file
from harness.workspace.manifest import (
    BYTECODE,
    SPECIAL,
    Entry,
    Manifest,
    decode_name,
    describe,
    encode_name,
    is_whiteout,
    manifest_digest,
)

#: Names and bytes of the longest path that a layer holds.
DEPTH_MAX, PATH_MAX = 100, 2000

#: Bytes of the largest file whose content a layer holds, and of all contents together.
FILE_MAX, TOTAL_MAX = 256 << 20, 2 << 30

_OPAQUE = ("user.overlay.opaque", "trusted.overlay.opaque")

#: Remembers the entry of a file by what the kernel says of it. An agent can set mtime, but not ctime.
ScanCache = dict[tuple[int, int, int, int, int], Entry]


@dataclass(frozen=True)
class Layer:
    """A canonical change list against one base."""

    manifest: Manifest

    @cached_property
    def digest(self) -> str:
        """Digest of all changes but bytecode."""
        return manifest_digest(self.manifest)

    @cached_property
    def candidate(self) -> Layer:
        """The part that an evaluator sees: no ``.git`` anywhere, and nothing where a special file stands."""
        return Layer(
            {
                path: Entry("whiteout") if entry.kind in SPECIAL else entry
                for path, entry in self.manifest.items()
                if ".git" not in path.split("/")
            }
        )

    @property
    def verdict_key(self) -> str:
        """Digest of the part that an evaluator sees."""
        return self.candidate.digest


def _is_opaque(end: int) -> bool:
    for name in _OPAQUE:
        try:
            if os.getxattr(end, name) == b"y":
                return True
        except OSError:
            continue
    return False


def _too_deep(path: str) -> bool:
    return path.count("/") >= DEPTH_MAX or (len(path) > PATH_MAX and len(os.fsencode(decode_name(path))) > PATH_MAX)


class LayerReader:
    """Reads layers of one attempt; remembers files that did not change since the last reading.

    Args:
        upper: the overlay's upper folder; nothing may mount it while it is read.
        base: manifest of the base tree, ``.git`` included.
    """

    def __init__(self, upper: str, base: Manifest):
        self._upper, self._base = upper, base
        self._cache: ScanCache = {}
        self._seen: ScanCache = {}
        self._total = 0
        self._changes: dict[str, Entry] = {}
        self._on_content: Callable[[bytes], object] | None = None

    def read(self, on_content: Callable[[bytes], object] | None = None) -> Layer:
        """The layer as it is now. ``on_content`` gets the content of each file not seen before."""
        self._changes, self._seen, self._total = {}, {}, 0
        self._on_content = on_content
        self._walk(self._upper, None, "", in_base=True, opaque=False)
        self._cache = self._seen
        return Layer({path: self._changes[path] for path in sorted(self._changes)})

    def _walk(self, name: str, folder: int | None, path: str, in_base: bool, opaque: bool) -> None:
        with opened(name, folder, directory=True) as end:
            # Only the topmost of the folders that hide the base's is marked by overlayfs.
            opaque = opaque or (bool(path) and _is_opaque(end))
            names = set()
            for found in sorted(os.listdir(end)):
                child = f"{path}/{encode_name(found)}" if path else encode_name(found)
                if found == BYTECODE or _too_deep(child):
                    continue
                names.add(child)
                self._visit(found, end, child, in_base, opaque)
            if in_base and opaque:
                self._delete_children(path, names)

    def _visit(self, name: str, folder: int, path: str, in_base: bool, opaque: bool) -> None:
        facts = os.stat(name, dir_fd=folder, follow_symlinks=False)
        below = self._base.get(path) if in_base else None
        if is_whiteout(facts):
            if below:
                self._changes[path] = Entry("whiteout")
            return
        entry = self._entry(name, folder, facts)
        if entry != below:
            self._changes[path] = entry
        if entry.kind == "directory":
            self._walk(name, folder, path, in_base and below is not None and below.kind == "directory", opaque)

    def _entry(self, name: str, folder: int, facts: os.stat_result) -> Entry:
        if not stat.S_ISREG(facts.st_mode):
            return describe(name, folder, facts)
        if facts.st_size > FILE_MAX or self._total + facts.st_size > TOTAL_MAX:
            return Entry("oversize", stat.S_IMODE(facts.st_mode), size=facts.st_size)
        self._total += facts.st_size
        key = (facts.st_dev, facts.st_ino, facts.st_ctime_ns, facts.st_size, facts.st_mode)
        entry = self._cache.get(key) or self._seen.get(key)
        if entry is None:
            content = read_file(name, folder)
            entry = Entry("file", stat.S_IMODE(facts.st_mode), digest_bytes(content), len(content))
            if self._on_content:
                self._on_content(content)
        self._seen[key] = entry
        return entry

    @cached_property
    def _children(self) -> dict[str, list[str]]:
        """The base's paths by folder. Made on the first opaque folder: most attempts have none, and bases are large."""
        children: dict[str, list[str]] = {}
        for path in self._base:
            children.setdefault(path.rpartition("/")[0], []).append(path)
        return children

    def _delete_children(self, path: str, kept: set[str]) -> None:
        """An opaque folder hides what the base has below it."""
        for child in self._children.get(path, []):
            if child not in kept:
                self._changes[child] = Entry("whiteout")
