"""Clean three-way merges of two layers against their common base, file by file; content is merged by git.

A path that one side alone changed is taken from it. A file that both changed is merged line by line, its mode likewise;
a change beside a deletion, two different new files, and a file in the place of a folder are conflicts. Nothing is
renamed, and no conflict is resolved.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import NamedTuple

from harness.canonical import digest_bytes
from harness.errors import InfrastructureError
from harness.sandbox.interface import Limits, Sandbox, SandboxLost
from harness.workspace.base import Base
from harness.workspace.layer import Layer
from harness.workspace.manifest import Entry, Manifest
from harness.workspace.workspace import Workspace

_LIMITS = Limits(seconds=600)
_SCRIPT = """
cd /tmp
for n in $(seq 1 {count}); do
    if git merge-file -p -q "$n.left" "$n.base" "$n.right" > "$n.merged" 2> /dev/null; then touch "$n.clean"; fi
done
"""


class Triple(NamedTuple):
    """Contents of one file, by their SHA-256: the base's, and what both sides made of it."""

    base: str
    left: str
    right: str


class Conflict(Exception):
    """Two changes that do not go together."""


#: Merged contents that are clean, by what they were merged from.
Merged = Mapping[Triple, bytes]


def wanted(left: Manifest, right: Manifest, base: Manifest) -> list[Triple]:
    """The files that have to be merged line by line; none where the two conflict anyway."""
    found: list[Triple] = []

    def note(triple: Triple) -> Entry:
        found.append(triple)
        return Entry("file")

    try:
        _united(left, right, base, note)
    except Conflict:
        return []
    return found


def united(left: Layer, right: Layer, base: Manifest, merged: Merged) -> tuple[Layer, dict[str, bytes]] | None:
    """The clean merge and its new contents by SHA-256; None where the two conflict.

    Args:
        left, right: production parts: files and whiteouts alone.
        merged: what ``merge_files`` made of all that is ``wanted``.
    """
    contents: dict[str, bytes] = {}

    def take(triple: Triple) -> Entry:
        content = merged.get(triple)
        if content is None:
            raise Conflict
        contents[digest_bytes(content)] = content
        return Entry("file", sha256=digest_bytes(content), size=len(content))

    try:
        found = _united(left.manifest, right.manifest, base, take)
    except Conflict:
        return None
    return Layer(found), contents


def _united(left: Manifest, right: Manifest, base: Manifest, merge: Callable[[Triple], Entry]) -> dict[str, Entry]:
    found: dict[str, Entry] = {}
    for path in sorted({*left, *right}):
        entry = _entry(left.get(path), right.get(path), base.get(path), merge)
        if entry != base.get(path):
            found[path] = entry
    files = {path for path, entry in found.items() if entry.kind == "file"}
    if any(parent in files for path in files for parent in _parents(path)):
        raise Conflict
    return found


def _entry(left: Entry | None, right: Entry | None, below: Entry | None, merge: Callable[[Triple], Entry]) -> Entry:
    if left is None or right is None or left == right:
        entry = left or right
        assert entry is not None
        return entry
    if below is None or any(one.kind != "file" for one in (left, right, below)):
        raise Conflict
    return Entry("file", *_content(left, right, below, merge))


def _content(
    left: Entry, right: Entry, below: Entry, merge: Callable[[Triple], Entry]
) -> tuple[int, str | None, int]:  # fmt: skip
    modes = {one.mode for one in (left, right)} - {below.mode}
    if len(modes) > 1:
        raise Conflict
    mode = modes.pop() if modes else below.mode
    changed = [one for one in (left, right) if one.sha256 != below.sha256]
    if len({one.sha256 for one in changed}) < 2:
        same = changed[0] if changed else below
        return mode, same.sha256, same.size
    made = merge(Triple(below.sha256 or "", left.sha256 or "", right.sha256 or ""))
    return mode, made.sha256, made.size


def _parents(path: str) -> Iterable[str]:
    while path := path.rpartition("/")[0]:
        yield path


def merge_files(
    triples: Iterable[Triple], content: Callable[[str], bytes], base: Base, sandbox: Sandbox
) -> dict[Triple, bytes]:
    """Merges contents line by line, all in one sandbox; those that conflict, binary ones among them, are left out.

    Args:
        content: any of the contents by SHA-256.
        sandbox: one with git in it, not started.

    Raises:
        InfrastructureError: the sandbox failed.
    """
    jobs = sorted(set(triples))
    if not jobs:
        return {}
    with Workspace(base) as workspace:
        folder = workspace.mounts.tmp
        assert folder is not None
        for number, triple in enumerate(jobs, 1):
            for side in Triple._fields:
                place = folder / f"{number}.{side}"
                place.write_bytes(content(getattr(triple, side)))
                place.chmod(0o644)
        try:
            sandbox.start(workspace.mounts, _LIMITS)
            done = sandbox.run(_SCRIPT.format(count=len(jobs)))
        except SandboxLost as lost:
            raise InfrastructureError(f"nothing was merged: {lost}") from lost
        finally:
            sandbox.stop()
        if done.limit or done.returncode:
            raise InfrastructureError(f"nothing was merged: git ended with {done.limit or done.returncode}")
        return {
            triple: (folder / f"{number}.merged").read_bytes() for number, triple in enumerate(jobs, 1)
            if (folder / f"{number}.clean").exists()
        }  # fmt: skip
