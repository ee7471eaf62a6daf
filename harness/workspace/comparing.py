"""Asks git how trees differ: in a sandbox, in a repository made there from nothing but the files that differ.

Git never sees a work tree: there is no ``.git`` of the agent's, no attribute, no filter, no ignore rule and no hook
that it could follow.
"""

from __future__ import annotations

import os
import stat
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from functools import partial
from typing import BinaryIO

from harness.errors import InfrastructureError
from harness.sandbox.interface import Limits, Sandbox, SandboxLost
from harness.workspace.base import Base
from harness.workspace.changes import git_mode
from harness.workspace.manifest import Entry, decode_name
from harness.workspace.workspace import Workspace

#: Attributes and settings are those of an empty repository, whatever the machine's own git is told.
_SCRIPT = """
set -e
unset "${!GIT_@}"
export GIT_CONFIG_NOSYSTEM=1 GIT_CONFIG_GLOBAL=/dev/null GIT_DIR=/tmp/repository LC_ALL=C
cd /tmp
git init -q --bare --template= --initial-branch=none
mkdir -p repository/info
echo '* !diff -text -eol -ident -filter -working-tree-encoding -crlf !merge' > repository/info/attributes
for setting in core.protectNTFS=false core.protectHFS=false core.fsmonitor=false core.fileMode=true core.quotePath=true
do git config "${setting%=*}" "${setting#*=}"; done
git fast-import --quiet < changes
"""
#: How every comparison begins: nothing is detected, coloured or converted.
DIFF = "git diff-tree -r --no-renames --no-color --no-ext-diff --no-textconv"
_LIMITS = Limits(seconds=600, disk_bytes=16 << 30)


@contextmanager
def compared(
    trees: Mapping[str, Mapping[str, Entry]], base: Base, content: Callable[[str], bytes], sandbox: Sandbox,
    commands: str,
) -> Iterator[BinaryIO]:  # fmt: skip
    """What shell ``commands`` print in a bare repository whose branches hold ``trees``.

    Args:
        trees: files by path (encoded as in manifests); the first is the base's, of which the others are children.
        content: file content by SHA-256, of all trees but the first.
        sandbox: one with git in it, not started.

    Raises:
        InfrastructureError: git or the sandbox failed.
    """
    with Workspace(base) as workspace:
        folder = workspace.mounts.tmp
        assert folder is not None
        with open(folder / "changes", "wb") as stream:
            os.fchmod(stream.fileno(), 0o644)
            _Import(stream, base, content).write(trees)
        try:
            sandbox.start(workspace.mounts, _LIMITS)
            done = sandbox.run(f"{_SCRIPT}{{\n{commands}\n}} > answer")
        except SandboxLost as lost:
            raise InfrastructureError(f"git was not asked: {lost}") from lost
        finally:
            sandbox.stop()
        if done.limit or done.returncode:
            said = done.output.decode(errors="replace").strip()[-500:]
            raise InfrastructureError(f"git ended with {done.limit or done.returncode}: {said}")
        with open(os.open(folder / "answer", os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK), "rb") as made:
            if not stat.S_ISREG(os.fstat(made.fileno()).st_mode):
                raise InfrastructureError("git was not asked: the sandbox left something else in place of its answer")
            yield made


class _Import:
    """Writes one commit a tree as input of ``git fast-import``."""

    def __init__(self, stream: BinaryIO, base: Base, content: Callable[[str], bytes]):
        self._stream, self._base, self._content = stream, base, content
        self._marks: dict[str, int] = {}

    def write(self, trees: Mapping[str, Mapping[str, Entry]]) -> None:
        (first, old), *others = trees.items()
        for path, entry in old.items():
            self._blob(entry, (self._base.tree / decode_name(path)).read_bytes)
        for _, files in others:
            for entry in files.values():
                self._blob(entry, partial(self._content, entry.sha256 or ""))
        self._commit(first, old)
        removed = b"".join(b"D %s\n" % _quoted(path) for path in old)
        for name, files in others:
            self._commit(name, files, b"from refs/heads/%s\n" % first.encode() + removed)

    def _put(self, data: bytes) -> None:
        self._stream.write(data)

    def _data(self, data: bytes) -> None:
        self._put(b"data %d\n%s\n" % (len(data), data))

    def _blob(self, entry: Entry, content: Callable[[], bytes]) -> None:
        if _name(entry) in self._marks:
            return
        self._marks[_name(entry)] = number = len(self._marks) + 1
        self._put(b"blob\nmark :%d\n" % number)
        link = entry.kind == "symlink"
        self._data(os.fsencode(decode_name(entry.target or "")) if link else content())

    def _commit(self, name: str, files: Mapping[str, Entry], before: bytes = b"") -> None:
        """``before``: the parent, and what is taken from it."""
        self._put(b"commit refs/heads/%s\ncommitter x <x@restartlab.invalid> 0 +0000\n" % name.encode())
        self._data(b"")
        self._put(before)
        for path, entry in files.items():
            self._put(b"M %s :%d %s\n" % (git_mode(entry).encode(), self._marks[_name(entry)], _quoted(path)))
        self._put(b"\n")


def _name(entry: Entry) -> str:
    """Tells contents apart."""
    return f"link {entry.target}" if entry.kind == "symlink" else f"file {entry.sha256}"


def _quoted(path: str) -> bytes:
    """A path as fast-import reads it, any byte allowed."""
    raw = os.fsencode(decode_name(path))
    safe = (bytes([b]) if 0x20 <= b < 0x7F and b not in b'"\\' else b"\\%03o" % b for b in raw)
    return b'"' + b"".join(safe) + b'"'
