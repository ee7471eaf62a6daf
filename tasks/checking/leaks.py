"""Whether the agent could read the answer: hidden tests or the repair in the issue text, or in the base."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path

from tasks.checking.finding import Finding
from tasks.package import TaskPackage

#: A line of code this long (characters, without indentation) is nobody's by accident; nor is what a test asserts.
LINE, CLAIM = 40, 30
#: So is a run of lines with this many characters in all.
BLOCK = 80


def _lines(text: str) -> list[str]:
    """Lines without indentation and blank ones."""
    return [line.strip() for line in text.split("\n") if line.strip()]


def added_blocks(patch: bytes) -> list[list[str]]:
    """Runs of lines that a patch adds."""
    blocks: list[list[str]] = [[]]
    for line in patch.decode("utf-8", "replace").split("\n"):
        if line.startswith("+") and not line.startswith("+++"):
            blocks[-1] += _lines(line[1:])
        elif blocks[-1]:
            blocks.append([])
    return [block for block in blocks if block]


def hidden_blocks(package: TaskPackage) -> dict[str, list[str]]:
    """The lines of every hidden test's body, by its name; empty for a file that is no Python."""
    text = package.hidden.decode("utf-8", "replace")
    try:
        tree = ast.parse(text)
    except (SyntaxError, ValueError):
        return {}
    source = text.split("\n")
    return {
        node.name: _lines("\n".join(source[node.body[0].lineno - 1 : node.end_lineno]))
        for node in tree.body
        if isinstance(node, ast.FunctionDef) and node.name.startswith("test_")
    }


def issue_leaks(package: TaskPackage) -> Iterator[Finding]:
    """Names of hidden tests, what they assert, and long lines of the repair, in what the agent is told.

    Lines that set a test up may well be those of the report; what it asserts may not.
    """
    said = "\n".join(_lines(package.issue))
    mend = "say what is wrong in other words: the agent must not be told how it is judged or repaired"
    for name, lines in hidden_blocks(package).items():
        if re.search(rf"\b{name}\b", said):
            yield Finding("problem", "issue.md", "", f"names the hidden test {name}", mend)
        for line in lines:
            claim = line.removeprefix("assert ")
            if claim != line and len(claim) >= CLAIM and claim in said:
                yield Finding("problem", "issue.md", "", f"holds what {name} asserts: {line[:80]}", mend)
    for block in added_blocks(package.reference):
        for line in block:
            if len(line) >= LINE and line in said and not line.startswith(("from ", "import ")):
                yield Finding("problem", "issue.md", "", f"holds a line that the reference adds: {line[:80]}", mend)


def base_leaks(package: TaskPackage, tree: Path) -> Iterator[Finding]:
    """Files of the base that hold a hidden test, or all that the reference adds in one place."""
    wanted = {f"the hidden test {name}": lines for name, lines in hidden_blocks(package).items()}
    wanted |= {f"what the reference adds ({block[0][:60]})": block for block in added_blocks(package.reference)}
    wanted = {name: lines for name, lines in wanted.items() if sum(map(len, lines)) >= BLOCK}
    if not wanted:
        return
    marks = {name: max(lines, key=len).encode() for name, lines in wanted.items()}
    for path in sorted(tree.rglob("*")):
        if ".git" in path.relative_to(tree).parts or path.is_symlink() or not path.is_file():
            continue
        data = path.read_bytes()
        near = [name for name, mark in marks.items() if mark in data]
        if not near:
            continue
        text = "\n".join(_lines(data.decode("utf-8", "replace")))
        for name in near:
            if "\n".join(wanted[name]) in text:
                file = path.relative_to(tree)
                mend = "choose a release from before the repair, or judge by tests that are not in it"
                yield Finding("problem", "task.yaml", "source", f"{file} of the base holds {name}", mend)
