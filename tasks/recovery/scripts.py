"""Repairs and mutations as shell scripts: the commands of an agent, one action each, separated by ``---`` lines."""

from __future__ import annotations

from pathlib import Path

from harness.errors import InputError

SEPARATOR = "---"


def read_script(path: Path) -> tuple[str, ...]:
    """The actions of a script; raises ``InputError`` when there is none."""
    try:
        text = path.read_text()
    except OSError as error:
        raise InputError(f"cannot be read ({error.strerror})", file=path, mend="add the script") from None
    actions, lines = [], list[str]()
    for line in [*text.splitlines(), SEPARATOR]:
        if line.strip() != SEPARATOR:
            lines.append(line)
            continue
        action = "\n".join(lines).strip()
        if action:
            actions.append(action)
        lines = []
    if not actions:
        raise InputError("holds no command", file=path, mend="write one shell command for each action")
    return tuple(actions)
