"""Turns tool calls of agents into shell commands: shells, Python, and the common file editor."""

from __future__ import annotations

import json
import shlex
from collections.abc import Mapping
from typing import Any

#: Tools whose argument is a command for a shell, to the names that the argument goes by.
_SHELLS = {
    "bash", "shell", "execute_bash", "bash_command", "run_command", "run", "terminal", "exec", "run_shell_command",
    "bash_session", "local_shell", "shell_command", "Bash",
}  # fmt: skip
_COMMAND_NAMES = ("command", "cmd", "keystrokes", "input")
_EDITORS = {"str_replace_editor", "text_editor", "str_replace_based_edit_tool", "str_replace_editor_tool"}
_END = "RESTARTLAB_END_OF_INPUT"

#: Runs inside the sandbox, on whatever Python the task has; texts as bytes, so that other line ends stay.
_EDITOR = """
import json, os, sys
a = json.loads(sys.stdin.read())
path, what = a["path"], a["command"]
def load():
    with open(path, "rb") as f:
        return f.read()
def save(data):
    with open(path, "wb") as f:
        f.write(data)
text = lambda name: (a.get(name) or "").encode()
try:
    if what == "view" and os.path.isdir(path):
        print("\\n".join(sorted(os.listdir(path))))
    elif what == "view":
        lines = load().decode("utf-8", "replace").split("\\n")
        first, last = (a.get("view_range") or [1, -1])
        last = len(lines) if last == -1 else last
        for n in range(max(1, first), min(last, len(lines)) + 1):
            print("%6d\\t%s" % (n, lines[n - 1]))
    elif what == "create":
        if os.path.dirname(path):
            os.makedirs(os.path.dirname(path), exist_ok=True)
        save(text("file_text"))
        print("File created successfully at: " + path)
    elif what == "str_replace":
        data, old = load(), text("old_str")
        if data.count(old) != 1:
            sys.exit("No replacement was performed: old_str occurs %d times in %s" % (data.count(old), path))
        save(data.replace(old, text("new_str")))
        print("The file %s has been edited." % path)
    elif what == "insert":
        lines, at = load().split(b"\\n"), int(a["insert_line"])
        added = text("new_str") or text("insert_text")
        lines[at:at] = added.split(b"\\n")
        save(b"\\n".join(lines))
        print("The file %s has been edited." % path)
    else:
        sys.exit("cannot be done again: " + what)
except (OSError, KeyError, ValueError) as error:
    sys.exit("%s: %s" % (type(error).__name__, error))
"""


def as_command(tool: str, arguments: Mapping[str, Any]) -> str | None:
    """A shell command that does what the tool call did; None when none is known."""
    name = tool.rpartition(".")[2] if tool.startswith("functions.") else tool
    if name in _SHELLS:
        for argument in _COMMAND_NAMES:
            value = arguments.get(argument)
            if isinstance(value, list):
                return _listed([str(part) for part in value])
            if isinstance(value, str):
                return value
        return None
    if name in ("python", "execute_python") and isinstance(arguments.get("code"), str):
        return _fed("python3 -", arguments["code"])
    if name in _EDITORS and isinstance(arguments.get("path"), str) and arguments.get("command") != "undo_edit":
        return _fed(f"python3 -c {shlex.quote(_EDITOR)}", json.dumps(dict(arguments)))
    return None


def _listed(parts: list[str]) -> str:
    """An argument vector as text; of ``bash -lc TEXT`` the text."""
    if len(parts) == 3 and parts[0].rpartition("/")[2] in ("bash", "sh") and parts[1] in ("-c", "-lc"):
        return parts[2]
    return shlex.join(parts)


def _fed(program: str, text: str) -> str:
    end = _END
    while end in text:
        end += "_"
    return f"{program} <<'{end}'\n{text}\n{end}"


def editor_command(line: str) -> str:
    """A line of text that an agent with text tools wrote: the editor's as a command, any other as it is."""
    first = line.lstrip().split(maxsplit=1)[0] if line.strip() else ""
    if first not in _EDITORS:
        return line
    try:
        words = shlex.split(line)
    except ValueError:
        return line
    arguments: dict[str, Any] = {"command": words[1] if len(words) > 1 else "", "path": words[2] if len(words) > 2
                                 else ""}  # fmt: skip
    position = 3
    while position < len(words) - 1:
        name = words[position].removeprefix("--")
        if name == "view_range":
            bounds = words[position + 1 : position + 3]
            arguments[name], position = [int(bound) for bound in bounds if bound.lstrip("-").isdigit()], position + 3
        else:
            arguments[name], position = words[position + 1], position + 2
    return as_command(first, arguments) or line
