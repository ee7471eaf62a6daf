"""Exports a layer as a git patch against its base: for people, and for tools that take nothing else."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from typing import BinaryIO

from harness.sandbox.interface import Sandbox
from harness.workspace.base import Base
from harness.workspace.changes import changes_of
from harness.workspace.comparing import DIFF, compared
from harness.workspace.layer import Layer
from harness.workspace.materialise import safe_path

_PATCH = f"{DIFF} -p --binary --full-index --unified=3 --src-prefix=a/ --dst-prefix=b/ refs/heads/base refs/heads/layer"


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
    if changes.old or changes.new:
        with compared({"base": changes.old, "layer": changes.new}, base, content, sandbox, _PATCH) as made:
            shutil.copyfileobj(made, out)
    return changes.left_out
