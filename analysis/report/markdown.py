"""The page as Markdown, with its figures in files beside it."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from analysis.report.blocks import Block, Picture, Section, Table

#: Where the figures are, from the Markdown file.
FIGURES = "figures"

_MARKS = re.compile(r"([\\`*\[\]<>|#~&$])|(?<!\w)(_)|(_)(?!\w)")


def markdown(title: str, sections: Sequence[Section]) -> str:
    """The page. Texts are escaped, so that no name of a task can become markup."""
    lines = [f"# {_plain(title)}", ""]
    for section in sections:
        lines += [f"## {_plain(section.title)}", ""]
        for block in section.blocks:
            lines += [*_block(block), ""]
    return "\n".join(lines).rstrip() + "\n"


def _block(block: Block) -> Iterator[str]:
    if isinstance(block, Picture):
        yield f"![{_plain(block.drawing.alt)}]({FIGURES}/{block.drawing.name}.svg)"
        yield ""
        yield f"*{_plain(block.caption)} {_plain(block.drawing.origin)}*"
    elif isinstance(block, Table):
        yield f"**{_plain(block.caption)}.** {_plain(block.origin)}".rstrip()
        yield ""
        yield _row(block.head)
        yield _row([":---" if place < block.left else "---:" for place in range(len(block.head))], raw=True)
        for row in block.shown:
            yield _row(row)
        if block.left_out:
            yield ""
            yield f"{block.left_out} more rows are in report.json."
    else:
        text = _plain(block.text)
        yield f"> **Note.** {text}" if block.warning else text


def _row(cells: Sequence[str], *, raw: bool = False) -> str:
    return "| " + " | ".join(cell if raw else _plain(cell) for cell in cells) + " |"


def _plain(text: str) -> str:
    return _MARKS.sub(lambda found: "\\" + found[0], " ".join(text.split()))
