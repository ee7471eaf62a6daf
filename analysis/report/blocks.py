"""What a page is made of, before it becomes HTML or Markdown."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

from analysis.figures.style import SYNTHETIC, Drawing

#: Rows of a table that a page shows; the data document has them all.
MOST_ROWS = 400


@dataclass(frozen=True)
class Text:
    """A paragraph; ``warning`` makes it stand out."""

    kind: ClassVar[str] = "text"
    text: str
    warning: bool = False


@dataclass(frozen=True)
class Table:
    """A table. The first ``left`` columns are names, the others numbers.

    Args:
        origins: of the data; written on the table, synthetic ones as a warning.
        folded: whether a page may keep it closed until asked for.
    """

    kind: ClassVar[str] = "table"
    caption: str
    head: Sequence[str]
    rows: Sequence[Sequence[str]]
    origins: Sequence[str] = ()
    left: int = 1
    folded: bool = False

    @property
    def shown(self) -> Sequence[Sequence[str]]:
        """The rows that a page shows."""
        return self.rows[:MOST_ROWS]

    @property
    def left_out(self) -> int:
        """How many rows it does not show."""
        return len(self.rows) - len(self.shown)

    @property
    def origin(self) -> str:
        """The label of its origin."""
        if not self.origins:
            return ""
        return f"Origin of the data: {', '.join(self.origins)}." + (
            f" {SYNTHETIC}." if "synthetic" in self.origins else ""
        )


@dataclass(frozen=True)
class Picture:
    """A figure, and what to say below it."""

    kind: ClassVar[str] = "picture"
    drawing: Drawing
    caption: str


Block = Text | Table | Picture


@dataclass(frozen=True)
class Section:
    """A part of the page with a heading; ``name`` is its anchor."""

    name: str
    title: str
    blocks: Sequence[Block]
