"""How many lines layers add and remove, as ``git diff --numstat`` counts them."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from harness.sandbox.interface import Sandbox
from harness.workspace.base import Base
from harness.workspace.comparing import DIFF, compared
from harness.workspace.layer import Layer
from harness.workspace.manifest import Entry


def changed_lines(
    layers: Mapping[str, Layer], base: Base, content: Callable[[str], bytes], sandbox: Sandbox
) -> dict[str, int]:
    """Added and removed lines of each layer (files and whiteouts alone) against ``base``; a binary file counts as none.

    Args:
        content: file contents of the layers by SHA-256.
        sandbox: one with git in it, not started.

    Raises:
        InfrastructureError: git or the sandbox failed.
    """
    if not layers:
        return {}
    paths = {path for layer in layers.values() for path in layer.manifest}
    old = {path: entry for path in sorted(paths) if (entry := base.manifest.get(path)) and entry.kind == "file"}
    trees: dict[str, Mapping[str, Entry]] = {"base": old}
    for number, layer in enumerate(layers.values()):
        shown = {**old, **layer.manifest}
        trees[f"layer{number}"] = {path: entry for path, entry in shown.items() if entry.kind == "file"}
    commands = "\n".join(
        f"echo {name}\n{DIFF} --numstat refs/heads/base refs/heads/{name}"
        for name in (f"layer{number}" for number in range(len(layers)))
    )
    counts: list[int] = []
    with compared(trees, base, content, sandbox, commands) as answer:
        for line in answer.read().decode("utf-8", "replace").splitlines():
            if "\t" not in line:
                counts.append(0)
                continue
            added, removed = line.split("\t")[:2]
            counts[-1] += sum(int(n) for n in (added, removed) if n != "-")
    return dict(zip(layers, counts, strict=True))
