"""Gives commands of an agent whose shell lived on the folder and the variables that the command before left."""

from __future__ import annotations

#: The state is kept in the home directory, which lasts as long as the attempt and is no part of the workspace.
_BEFORE = '[ -f "$HOME/.session" ] && . "$HOME/.session" >/dev/null 2>&1\n'
_AFTER = """trap '{ export -p; declare -f; printf "cd %q\\n" "$PWD"; } > "$HOME/.session"' EXIT
"""


def in_session(command: str) -> str:
    """``command``, begun where the one before it ended."""
    return f"{_BEFORE}{_AFTER}{command}"
