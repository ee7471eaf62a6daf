"""What a scripted agent needs to know of a git patch, and how text reaches a command through bash unchanged."""

from __future__ import annotations

import re
from dataclasses import dataclass

from harness.errors import InputError
from tasks.interface import RepairTask


@dataclass(frozen=True)
class Patch:
    """A git patch as text, and the files of the workspace that it concerns."""

    name: str
    text: str
    changed: tuple[str, ...]
    """Files of the base that it edits, deletes or renames."""
    created: tuple[str, ...]
    """Files that it adds."""
    hunks: tuple[tuple[str, int], ...]
    """(changed file, first line in the base) of every hunk."""

    @property
    def apply(self) -> str:
        """The command that applies it."""
        return heredoc("git apply --whitespace=nowarn", self.text, "PATCH")

    @property
    def unapply(self) -> str:
        """The command that takes it back, once applied."""
        return heredoc("git apply --whitespace=nowarn -R", self.text, "PATCH")


def read_patch(data: bytes, *, name: str, file: object) -> Patch:
    """Parse a patch; raises ``InputError`` naming ``file`` if it is no git patch or cannot be put into a command."""
    mend = "write it with `git diff -U1`, as UTF-8 text"
    try:
        text = data.decode("utf-8")
    except UnicodeDecodeError as error:
        raise InputError(f"byte {error.start} is not UTF-8", file=file, mend=mend) from None
    if "\0" in text:
        raise InputError("contains a NUL character, which bash drops", file=file, mend=mend)
    changed: list[str] = []
    created: list[str] = []
    hunks: list[tuple[str, int]] = []
    # Split at line feeds only: splitlines() would also split at form feeds inside a source line.
    for section in re.split(r"^diff --git ", text, flags=re.MULTILINE)[1:]:
        header = section.split("\n@@ ")[0].split("\n")
        fields = {key: next((x.removeprefix(key) for x in header if x.startswith(key)), None)
                  for key in ("--- a/", "+++ b/", "rename from ", "rename to ")}
        old = fields["rename from "] or fields["--- a/"]
        new = fields["rename to "] or fields["+++ b/"]
        if old is None and new is None:
            raise InputError(f"names no text file in {header[0]!r}", file=file, mend=mend)
        if old is not None:
            changed.append(old.rstrip("\t"))
            hunks += [(changed[-1], int(n)) for n in re.findall(r"^@@ -(\d+)", section, flags=re.MULTILINE)]
        if new is not None and new != old:
            created.append(new.rstrip("\t"))
    if not changed and not created:
        raise InputError("has no 'diff --git' line", file=file, mend=mend)
    text = text if text.endswith("\n") else text + "\n"
    return Patch(name, text, tuple(changed), tuple(created), tuple(hunks))


@dataclass(frozen=True)
class TaskPatches:
    """All patches of a task."""

    valid: tuple[Patch, ...]
    """The reference first, then the alternatives."""
    wrong: tuple[Patch, ...]

    @property
    def changed(self) -> tuple[str, ...]:
        """Files of the base that any of them touches."""
        return tuple(sorted({file for patch in self.valid + self.wrong for file in patch.changed}))

    @property
    def created(self) -> tuple[str, ...]:
        """Files that any of them adds."""
        return tuple(sorted({file for patch in self.valid + self.wrong for file in patch.created}))


def task_patches(task: RepairTask) -> TaskPatches:
    """Read the reference, the alternatives and the mutations of ``task``; raises ``InputError``."""

    def read(data: bytes, name: str, place: str) -> Patch:
        return read_patch(data, name=name, file=task.root / place)

    alternatives = [read(data, name, f"alternatives/{name}.patch") for name, data in task.alternatives.items()]
    mutations = [read(data, name, f"mutations/{name}.patch") for name, data in task.mutations.items()]
    return TaskPatches((read(task.reference, "reference", "reference.patch"), *alternatives), tuple(mutations))


def heredoc(command: str, text: str, word: str = "EOF") -> str:
    """``command`` with exactly ``text`` (a newline added if the last line lacks it) on its standard input.

    The delimiter is quoted, so that bash expands nothing, and numbered until no line of the text equals it.
    """
    lines = set(text.split("\n"))
    delimiter, n = word, 1
    while delimiter in lines:
        n += 1
        delimiter = f"{word}{n}"
    body = text if not text or text.endswith("\n") else text + "\n"
    return f"{command} <<'{delimiter}'\n{body}{delimiter}"
