"""A tiny base with awkward names in it, and workspaces on it that a shell can work in."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

from boxes import Box, open_folder, sandbox_python

from harness.canonical import digest_bytes
from harness.sandbox.bubblewrap import BubblewrapSandbox
from harness.sandbox.interface import Limits, Mounts
from harness.workspace.base import Base, build_base
from harness.workspace.layer import Layer
from harness.workspace.manifest import Manifest
from harness.workspace.materialise import materialise
from harness.workspace.workspace import Workspace

#: Names as bytes: a newline, quotes, a percent sign, what is not UTF-8, and what only looks like an encoding.
ODD_NAMES = (
    b"new\nline",
    b"quo'te\"s",
    b"100%25",
    b"caf\xc3\xa9",
    b"latin\xe9",
    b" space ",
    b"-rf",
    b"back\\slash",
    b"%2e%2e",
)
FILES: dict[str, bytes] = {
    "pkg/__init__.py": b"from pkg.core import answer\n",
    "pkg/core.py": b"def answer():\n    return 41\n",
    "pkg/sub/deep/x": b"x\n",
    "pkg/sub/deep/y": b"y\n",
    "pkg/sub/z": b"z\n",
    "crlf.txt": b"one\r\ntwo\r\n",
    "unended": b"no newline at the end",
    "binary": bytes(range(256)),
    "empty": b"",
    ".gitignore": b"*.log\n",
    "kept.log": b"ignored by git, and still of the tree\n",
}
#: What a tree shows, but its .git: paths, kinds, modes, targets and contents.
_OTHERS = "-path ./.git -prune -o -name __pycache__ -prune -o"
SHOW = (
    f"find . -mindepth 1 {_OTHERS} -printf '%P|%y|%m|%l\\0' | LC_ALL=C sort -z | tr '\\0' '\\n'; "
    f"find . {_OTHERS} -type f -print0 | LC_ALL=C sort -z | xargs -0 -r sha256sum -b --"
)


def unpack_tiny(target: Path) -> None:
    """Fills ``target`` with the tiny tree."""
    for name, content in FILES.items():
        (target / name).parent.mkdir(parents=True, exist_ok=True)
        (target / name).write_bytes(content)
        (target / name).chmod(0o644)
    (target / "run.sh").write_text("#!/bin/sh\necho run\n")
    (target / "run.sh").chmod(0o755)
    (target / "odd").mkdir()
    for raw in ODD_NAMES:
        (target / "odd" / os.fsdecode(raw)).write_bytes(raw)
        (target / "odd" / os.fsdecode(raw)).chmod(0o644)
    (target / "link").symlink_to("pkg/core.py")
    (target / "dangling").symlink_to("nowhere")
    (target / "absolute").symlink_to("/etc")
    for folder, _, _ in os.walk(target):
        os.chmod(folder, 0o755)


def tiny_base(**more: object) -> Base:
    """The tiny tree as a base in the cache."""
    return build_base({"tiny": 1, **more}, unpack_tiny, [sandbox_python().executable])


@dataclass
class Desk:
    """A workspace on a base with a shell in it; keeps the content of what snapshots saw."""

    workspace: Workspace
    box: Box
    contents: dict[str, bytes] = field(default_factory=dict)

    def sh(self, command: str) -> str:
        """Runs a command that must succeed."""
        return self.box.text(command)

    def layer(self) -> Layer:
        def keep(data: bytes) -> None:
            self.contents[digest_bytes(data)] = data

        return self.workspace.snapshot(keep)

    def changes(self) -> set[str]:
        """Changed paths, ``.git`` left out."""
        return set(self.layer().candidate.manifest)

    def upper(self) -> Path:
        found = self.workspace.mounts.upper
        assert found is not None
        return found


def boxed(mounts: Mounts, site: Path) -> Box:
    sandbox = BubblewrapSandbox(sandbox_python(), open_folder(site))
    sandbox.start(mounts, Limits(seconds=60))
    return Box(sandbox, mounts)


@contextmanager
def desk_on(
    base: Base, site: Path, manifest: Manifest | None = None, contents: dict[str, bytes] | None = None
) -> Iterator[Desk]:
    """A desk; with a manifest, one whose layer is already that."""
    with Workspace(base) as workspace:
        if manifest is not None:
            upper = workspace.mounts.upper
            assert upper is not None
            materialise(manifest, upper, (contents or {}).__getitem__, base.manifest)
        yield Desk(workspace, boxed(workspace.mounts, site))
