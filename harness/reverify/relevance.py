"""Leaves scratch files that no test can see out of what is judged, so that notes of the agent cost no verification.

Left out is a new file at the top of the repository that nothing imports: its ending is that of a script or a note, and
its name occurs nowhere in the Python files of the base, of the changes, or of the hidden tests. The whole state is
recorded all the same, and the last one of an attempt is judged as it is.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from functools import lru_cache
from pathlib import Path

from harness.workspace.base import Base
from harness.workspace.layer import Layer
from harness.workspace.manifest import decode_name

_SCRATCH = re.compile(r"[A-Za-z_]\w*\.(py|txt|md|log|patch|diff|out|sh)")
_NEVER = re.compile(r"(conftest|setup|sitecustomize|usercustomize|__\w+__)\b")
_WORD = re.compile(rb"[A-Za-z_]\w*")


@lru_cache(maxsize=4)
def _words_of_base(digest: str, tree: Path, names: tuple[str, ...]) -> frozenset[bytes]:
    found: set[bytes] = set()
    for name in names:
        found.update(_WORD.findall((tree / decode_name(name)).read_bytes()))
    return frozenset(found)


def _words(base: Base) -> frozenset[bytes]:
    names = tuple(
        path for path, entry in base.manifest.items()
        if entry.kind == "file" and path.endswith((".py", ".cfg", ".toml", ".ini")) and not path.startswith(".git/")
    )  # fmt: skip
    return _words_of_base(base.digest, base.tree, names)


def judged_part(layer: Layer, base: Base, content: Callable[[str], bytes], hidden: Iterable[bytes] = ()) -> Layer:
    """The layer without scratch files that nothing can import.

    Args:
        content: gives the layer's files by SHA-256.
        hidden: contents of the tests.
    """
    manifest = layer.candidate.manifest
    scratch = {
        path: path.partition(".")[0].encode()
        for path, entry in manifest.items()
        if entry.kind == "file" and path not in base.manifest and _SCRATCH.fullmatch(path) and not _NEVER.match(path)
    }
    if not scratch:
        return layer
    words = _words(base)
    kept = {path: name for path, name in scratch.items() if name not in words}
    seen: set[bytes] = set()
    for text in (
        *hidden,
        *(content(entry.sha256 or "") for path, entry in manifest.items() if entry.kind == "file" and path not in kept),
    ):
        seen.update(_WORD.findall(text))
    left_out = {path for path, name in kept.items() if name not in seen}
    return Layer({path: entry for path, entry in layer.manifest.items() if path not in left_out})
