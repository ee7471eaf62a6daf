"""Exports a layer as a git patch against its base: for people, and for tools that take nothing else.

Git runs in a sandbox, on a repository made there from the two lists of files that differ. It never sees a work tree:
there is no ``.git`` of the agent's, no attribute, no filter, no ignore rule and no hook that it could follow.
"""

from __future__ import annotations

import os
import shutil
import stat
from collections.abc import Callable
from functools import partial
from typing import BinaryIO

from harness.errors import InfrastructureError
from harness.sandbox.interface import Limits, Sandbox, SandboxLost
from harness.workspace.base import Base
from harness.workspace.changes import changes_of, git_mode
from harness.workspace.layer import Layer
from harness.workspace.manifest import Entry, decode_name
from harness.workspace.materialise import safe_path
from harness.workspace.workspace import Workspace

#: Attributes and settings are those of an empty repository, whatever the machine's own git is told.
_SCRIPT = """
set -e
unset "${!GIT_@}"
export GIT_CONFIG_NOSYSTEM=1 GIT_CONFIG_GLOBAL=/dev/null GIT_DIR=/tmp/repository LC_ALL=C
cd /tmp
git init -q --bare --template= --initial-branch=none
mkdir -p repository/info
echo '* !diff -text -eol -ident -filter -working-tree-encoding -crlf' > repository/info/attributes
for setting in core.protectNTFS=false core.protectHFS=false core.fsmonitor=false core.fileMode=true core.quotePath=true
do git config "${setting%=*}" "${setting#*=}"; done
git fast-import --quiet < changes
git diff-tree -r -p --binary --full-index --no-renames --no-color --no-ext-diff --no-textconv --unified=3 \
    --src-prefix=a/ --dst-prefix=b/ refs/heads/base refs/heads/layer > patch
"""
_LIMITS = Limits(seconds=600, disk_bytes=16 << 30)


def export_patch(
    layer: Layer, base: Base, content: Callable[[str], bytes], sandbox: Sandbox, out: BinaryIO
) -> dict[str, str]:
    """Writes ``layer`` as a patch to ``out``: what ``git diff --binary`` would say if nothing were hidden from it.

    Args:
        content: the layer's file content by SHA-256.
        sandbox: one with git in it, not started.

    Returns:
        What the patch does not hold: path, encoded as in manifests, to what it is.

    Raises:
        InputError: a path of the layer leaves the workspace.
        InfrastructureError: git or the sandbox failed.
    """
    for path in layer.manifest:
        safe_path(path)  # git itself takes "a/../../b"
    changes = changes_of(layer, base.manifest)
    if not changes.old and not changes.new:
        return changes.left_out
    with Workspace(base) as workspace:
        folder = workspace.mounts.tmp
        assert folder is not None
        with open(folder / "changes", "wb") as stream:
            os.fchmod(stream.fileno(), 0o644)
            _Import(stream, base, content).write(changes.old, changes.new)
        try:
            sandbox.start(workspace.mounts, _LIMITS)
            done = sandbox.run(_SCRIPT)
        except SandboxLost as lost:
            raise InfrastructureError(f"no patch was made: {lost}") from lost
        finally:
            sandbox.stop()
        if done.limit or done.returncode:
            said = done.output.decode(errors="replace").strip()[-500:]
            raise InfrastructureError(f"no patch was made: git ended with {done.limit or done.returncode}: {said}")
        with open(os.open(folder / "patch", os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK), "rb") as made:
            if not stat.S_ISREG(os.fstat(made.fileno()).st_mode):
                raise InfrastructureError("no patch was made: the sandbox left something else in its place")
            shutil.copyfileobj(made, out)
    return changes.left_out


class _Import:
    """Writes two commits as input of ``git fast-import``: the files as they were, then as they are."""

    def __init__(self, stream: BinaryIO, base: Base, content: Callable[[str], bytes]):
        self._stream, self._base, self._content = stream, base, content
        self._marks: dict[str, int] = {}

    def write(self, old: dict[str, Entry], new: dict[str, Entry]) -> None:
        for path, entry in old.items():
            self._blob(entry, (self._base.tree / decode_name(path)).read_bytes)
        for entry in new.values():
            self._blob(entry, partial(self._content, entry.sha256 or ""))
        self._commit(b"base", old)
        removed = b"".join(b"D %s\n" % _quoted(path) for path in old)
        self._commit(b"layer", new, b"from refs/heads/base\n" + removed)

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

    def _commit(self, name: bytes, files: dict[str, Entry], before: bytes = b"") -> None:
        """``before``: the parent, and what is taken from it."""
        self._put(b"commit refs/heads/%s\ncommitter x <x@restartlab.invalid> 0 +0000\n" % name)
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
