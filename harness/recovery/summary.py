"""The state of a workspace as git would tell it, from its layer alone: the same files, the same text, on any machine.

It is made outside the agent's sandbox, so no ``.git``, alias, hook or ignore rule of the agent's has a say in it.
"""

from __future__ import annotations

from collections.abc import Callable

from harness.recovery.apply import Summary
from harness.sandbox.interface import Sandbox
from harness.workspace.base import Base
from harness.workspace.changes import changes_of
from harness.workspace.comparing import DIFF, compared
from harness.workspace.layer import Layer

#: Lines shown of each text: an agent can make a hundred thousand files.
LINES_MAX = 60

_TREES = "refs/heads/base refs/heads/layer"
_COMMANDS = f"{DIFF} --name-status {_TREES}\necho\n{DIFF} --stat=100 --diff-filter=MDT {_TREES}"


def summarise(layer: Layer, base: Base, content: Callable[[str], bytes], sandbox: Sandbox) -> Summary:
    """``git status --porcelain`` (every untracked file by itself) and ``git diff --stat`` of a workspace.

    Ignored files are listed as untracked ones. A path that git cannot hold is left out, as are empty folders.

    Args:
        content: the layer's file content by SHA-256.
        sandbox: one with git in it, not started.

    Raises:
        InfrastructureError: git or the sandbox failed.
    """
    changes = changes_of(layer, base.manifest)
    if not changes.old and not changes.new:
        return Summary("", "")
    trees = {"base": changes.old, "layer": changes.new}
    with compared(trees, base, content, sandbox, _COMMANDS) as answer:
        states, _, stat = answer.read().decode("utf-8", "replace").partition("\n\n")
    listed = [line.split("\t", 1) for line in states.splitlines() if line]
    tracked = [f" {letter} {path}" for letter, path in listed if letter != "A"]
    untracked = [f"?? {path}" for letter, path in listed if letter == "A"]
    return Summary(_shortened(tracked + untracked), _shortened(stat.splitlines()))


def _shortened(lines: list[str]) -> str:
    """The first lines and, as git ends a stat with its sum, the last one."""
    if len(lines) > LINES_MAX:
        left = len(lines) - LINES_MAX
        lines = [*lines[: LINES_MAX - 1], f"... {left} lines left out ...", lines[-1]]
    return "".join(f"{line}\n" for line in lines)
