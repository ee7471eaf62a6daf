"""Examples in README.md and docs/*.md: commands, options and targets exist, outputs are what is printed now."""

from __future__ import annotations

import os
import re
import shlex
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

import pytest
import typer

from analysis.arms import Design
from analysis.certificates import METHODS
from harness.cli.app import app

PROJECT = Path(__file__).resolve().parents[2]
PAGES = [PROJECT / "README.md", *sorted((PROJECT / "docs").glob("*.md"))]
TABLE = Path("tests/goldens/data/timing_attempts.csv")
ANALYSIS = (PROJECT / "docs" / "analysis.md").read_text(encoding="utf-8")
MAKEFILE = (PROJECT / "Makefile").read_text(encoding="utf-8")

_COMMAND = re.compile(r"(?:\$ )?(?:[A-Z_]+=\S+ )*(?:\.venv/bin/)?(restartlab|make)(?= |$)(.*)")


class Example(NamedTuple):
    page: str
    line: int
    program: str
    words: tuple[str, ...]
    alone: bool
    """A line of its own, so a whole command; else a mention in a sentence."""


def examples(page: Path) -> Iterator[Example]:
    """Commands in fenced and indented blocks, and in code spans."""
    fenced = False
    lines = page.read_text(encoding="utf-8").split("\n")
    for number, line in enumerate(lines, 1):
        if line.startswith("```"):
            fenced = not fenced
        block = fenced or line.startswith("    ")
        at = number
        while block and line.endswith("\\"):
            line, at = line[:-1] + lines[at].strip(), at + 1
        for text in [line.strip()] if block else re.findall(r"`([^`]+)`", line):
            if (found := _COMMAND.fullmatch(text)) is not None:
                # In blocks, a description can stand beside the command, set apart by spaces.
                words = tuple(shlex.split(re.split(" {2,}", found[2])[0], comments=True))
                yield Example(page.name, number, found[1], words, block)


EXAMPLES = [example for page in PAGES for example in examples(page)]


def parse(words: tuple[str, ...], whole: bool) -> None:
    """Parses a command as the command line does, without running it."""
    group: Any = typer.main.get_command(app)
    if not words:
        return
    if words[0].startswith("-"):
        assert any(words[0] in part.opts for part in group.params)
        return
    assert words[0] in group.commands, f"there is no command {words[0]}"
    while hasattr(group.commands[words[0]], "commands") and len(words) > 1:
        group, words = group.commands[words[0]], words[1:]
        assert words[0] in group.commands, f"there is no command {words[0]}"
    try:
        group.commands[words[0]].make_context(words[0], list(words[1:]))
    except Exception as error:
        if whole or type(error).__name__ != "MissingParameter":
            raise AssertionError(getattr(error, "message", error)) from error


@pytest.mark.parametrize("example", EXAMPLES, ids=lambda one: f"{one.page}:{one.line}: {one.program} {one.words[:1]}")
def test_commands_options_and_targets_exist(example: Example) -> None:
    if example.program == "restartlab":
        parse(example.words, example.alone)
        return
    for word in example.words:
        name, equals, _ = word.partition("=")
        pattern = rf"\$\(({name})\)" if equals else rf"^{name}:"
        assert re.search(pattern, MAKEFILE, re.MULTILINE), f"the Makefile knows no {word}"


def test_examples_are_found_and_wrong_ones_are_refused() -> None:
    pages = {example.page for example in EXAMPLES}
    assert pages >= {"README.md", "analysis.md", "tasks.md"}
    assert len(EXAMPLES) > 60
    wrong = (("audits",), ("task", "nwe", "x"), ("audit", "--evens", "x"), ("audit", "--budget", "many"), ("import",))
    for words in wrong:
        with pytest.raises(AssertionError):
            parse(words, True)


class Shown(NamedTuple):
    command: str
    output: str


def shown() -> list[Shown]:
    """Blocks of docs/analysis.md that show a command and what it prints."""
    found = []
    for block in re.findall(r"```console\n\$ (.*?)```", ANALYSIS, re.DOTALL):
        command, _, output = block.replace("\\\n", "").partition("\n")
        found.append(Shown(" ".join(command.split()), output))
    return found


def restartlab(words: list[str], folder: Path) -> str:
    """Everything that the command prints, on both streams."""
    environment = os.environ | {"PYTHONPATH": str(PROJECT), "RESTARTLAB_STATE": str(folder / "state"), "COLUMNS": "120"}
    command = [sys.executable, "-c", "from harness.cli import main; main()", *words]
    done = subprocess.run(
        command, cwd=folder, env=environment, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, timeout=120
    )
    return done.stdout


@pytest.fixture
def checkout(tmp_path: Path) -> Path:
    """A folder that has the table where the checkout has it."""
    (tmp_path / TABLE).parent.mkdir(parents=True)
    shutil.copy(PROJECT / TABLE, tmp_path / TABLE)
    return tmp_path


def test_outputs_in_analysis_md_are_what_is_printed(checkout: Path) -> None:
    """In order, as a reader would go: files that are shown are written, later commands see what earlier ones made."""
    blocks = shown()
    assert len(blocks) > 12
    for command, output in blocks:
        program, *words = shlex.split(command)
        if program == "cat":
            (checkout / words[0]).write_text(output, encoding="utf-8")
        else:
            assert restartlab(words, checkout) == output, f"docs/analysis.md: {command}"


def tutorial() -> list[tuple[str, str]]:
    """Commands of README's tutorial, each with the comment on what it prints."""
    text = (PROJECT / "README.md").read_text(encoding="utf-8")
    block = text[text.index(f"    T={TABLE}") :].split("\n\n")[0]
    lines = [line.strip() for line in block.split("\n")]
    assert len(lines) == 10
    found: list[tuple[str, str]] = []
    for line in lines[1:]:
        if line.startswith("# "):
            found[-1] = (found[-1][0], found[-1][1] + line[1:])
        else:
            found.append((line.replace("$T", str(TABLE)).removeprefix(".venv/bin/"), ""))
    return found


@pytest.mark.parametrize(("command", "comment"), tutorial())
def test_the_tutorial_reads_off_what_is_printed(checkout: Path, command: str, comment: str) -> None:
    printed = restartlab(shlex.split(command)[1:], checkout)
    numbers = re.findall(r"[+-]?\d+(?:\.\d+|/\d)?", comment)
    assert numbers
    for number in numbers:
        assert re.search(rf"(?<![\d.]){re.escape(number)}(?![\d.]*\d)", printed), f"{number} is not printed"


def test_the_table_of_methods_is_right() -> None:
    rows = re.findall(r"^\| `([a-z-]+)` \| [^|]+ \| ([^|]+) \| ([^|]+) \| (\d+) \| (\d+) \|$", ANALYSIS, re.MULTILINE)
    assert [row[0] for row in rows] == list(METHODS)
    names = {Design.ONE_POOL: "one-pool", Design.INDEPENDENT: "split", Design.PAIRS: "pairs"}
    for name, valid, claim, one, many in rows:
        method = METHODS[name]
        assert (int(one), int(many)) == (method.attainable_n(0.05, 1), method.attainable_n(0.05, 156))
        assert claim.removesuffix(" only").replace("≥", ">=") == method.CLAIM
        designs, _, stopping = valid.partition(";")
        assert designs.split(", ") == [text for design, text in names.items() if design not in method.WHY_NOT]
        assert bool(stopping) == method.OPTIONAL_STOPPING


def test_links_lead_somewhere() -> None:
    for page in PAGES:
        text = page.read_text(encoding="utf-8")
        for target in re.findall(r"\]\(([^)\s]+)\)", text):
            if "://" in target:
                continue
            name, _, anchor = target.partition("#")
            other = page.parent / name if name else page
            assert other.exists(), f"{page.name}: {target}"
            headings = re.findall(r"^#+ (.*)$", other.read_text(encoding="utf-8"), re.MULTILINE)
            assert not anchor or anchor in {re.sub(r"[^\w -]", "", one).lower().replace(" ", "-") for one in headings}
