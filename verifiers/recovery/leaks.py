"""Looks for what an agent must not see: names and texts of the contract's hidden side, and of the host."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from pathlib import Path

from harness.paths import PROJECT
from tasks.recovery.task import RecoveryTask
from verifiers.place import Place
from verifiers.recovery.acting import scene

#: Characters of a script's line that make it telling.
_TELLING = 24
#: What the agent's surroundings show: variables, mounts, processes, everything writable, what comes from outside.
_LOOK = (
    "env; cat /proc/self/mountinfo /proc/[0-9]*/cmdline /etc/hostname 2>/dev/null | tr '\\0' ' '; "
    "find /run /tmp \"$HOME\" /opt /dev/shm -print 2>/dev/null; find . -print"
)


def forbidden(task: RecoveryTask) -> dict[str, str]:
    """Texts that would give something away: what each is."""
    contract = task.contract
    words = dict.fromkeys(contract.obligations, "the name of an obligation")
    words |= {m.name: "the name of a mutation" for m in contract.mutations if "-" in m.name}
    for name in (*contract.behaviours.model_fields_set, "mutation", "oracle", "invariant", "contract.yaml"):
        words[name] = "a word of the evaluator's side"
    words[contract.id] = "the task's id"
    words[str(PROJECT)] = "a path of the host"
    for function in re.findall(r"^def ([a-z]\w+)\(ctx\)", task.checks, re.MULTILINE):
        if "_" in function:
            words[function] = "the name of a check"
    scripts = {"oracle": task.oracle, **task.alternatives, **task.mutations}
    for name, script in scripts.items():
        for line in "\n".join(script).splitlines():
            if len(line.strip()) >= _TELLING:
                words.setdefault(line.strip(), f"a line of the script {name}")
    return words


def leaks(task: RecoveryTask, place: Place) -> list[str]:
    """What the agent can see and must not, in words: in the files of its workspace and in its booted sandbox."""
    words = forbidden(task)
    found = [f"{what} ({word[:40]!r}) in {where}" for where, text in _files(place.base.tree)
             for word, what in words.items() if word in text]  # fmt: skip
    with scene(place) as stage:
        seen = stage.sandbox.run(_LOOK).output.decode(errors="replace")
    return found + [f"{what} ({word[:40]!r}) in the sandbox" for word, what in words.items() if word in seen]


def _files(tree: Path) -> Iterator[tuple[str, str]]:
    for folder, _, names in os.walk(tree):
        for name in names:
            path = Path(folder, name)
            if path.is_file() and not path.is_symlink():
                where = str(path.relative_to(tree))
                yield where, f"{where}\n{path.read_bytes().decode('latin-1')}"
