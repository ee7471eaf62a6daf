"""What the live views share: the table of a stage, the line of totals, the line of a running attempt."""

from __future__ import annotations

import math
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING

from rich.console import Group, RenderableType
from rich.table import Table
from rich.text import Text

from harness.cli.text import last_command, money, span
from harness.collection.status import total_cost

if TYPE_CHECKING:
    from harness.store.records import CellCount

#: Seconds between two lines that say no more than that it goes on.
HEARTBEAT_SECONDS = 60.0
_COUNTED = {"verified": "verif.", "terminal": "term.", "censored": "cens.", "excluded": "excl."}


@dataclass(frozen=True)
class Running:
    """An attempt that runs now."""

    name: str
    horizon: int
    trajectory: Path | None
    """The file it writes; None when it is not on this machine."""
    seconds: float

    def line(self) -> str:
        """Where it is, and what it does."""
        call, command = last_command(self.trajectory) if self.trajectory else (0, "")
        return f"{self.name}  call {call}/{self.horizon}  {span(self.seconds)}" + (f"  $ {command}" if command else "")

    def place(self) -> str:
        """Where it is, for a log."""
        call, _ = last_command(self.trajectory) if self.trajectory else (0, "")
        return f"{self.name} call {call}/{self.horizon}"


def attempt_name(task: str, runtime: str, repeat: int) -> str:
    """An attempt in a list."""
    return f"{task} {runtime} #{repeat}"


def log_line(text: str) -> str:
    """``text`` with the local time and its offset from UTC."""
    return f"{datetime.now().astimezone().isoformat(timespec='seconds')} {text}"


def totals(cells: Sequence[CellCount], elapsed: float | None, ran: int) -> str:
    """Attempts finished and left, cost, and how long it took and will take.

    Args:
        elapsed: seconds of collecting, in which ``ran`` attempts finished; None: nothing is being collected.
    """
    planned, finished = sum(cell.planned for cell in cells), sum(cell.finished for cell in cells)
    left = planned - finished
    parts = [f"{finished}/{planned} attempts"]
    if left:
        parts.append(f"{left} left")
    parts.append(money(total_cost(cells), sum(cell.unknown_costs for cell in cells)))
    if elapsed is not None:
        parts.append(f"{span(elapsed)} so far")
        if ran and elapsed > 0:
            parts.append(f"{ran / elapsed * 3600:.0f} an hour")
            if left:
                parts.append(f"about {span(elapsed / ran * left)} left")
    return ", ".join(parts)


def stage_table(cells: Sequence[CellCount], synthetic: Collection[str], width: int) -> Table:
    """A row per cell with progress and events. Runtimes that are instruments and no language models are marked.

    Args:
        width: columns of the terminal; a narrow one gets shorter bars and marks.
    """
    narrow = width < 100
    length = 5 if narrow else 10
    table = Table(box=None, pad_edge=False)
    table.add_column("task", no_wrap=True)
    table.add_column("runtime", overflow="fold")
    arms = len({cell.arm for cell in cells}) > 1
    if arms:
        table.add_column("arm", no_wrap=True)
    table.add_column("progress", no_wrap=True)
    for name, short in _COUNTED.items():
        table.add_column(short if narrow else name, justify="right", no_wrap=True)
    for cell in cells:
        share = cell.finished / cell.planned if cell.planned else 0.0
        bar = "█" * round(share * length) + "░" * (length - round(share * length))
        mark = ("*" if narrow else " (synthetic)") if cell.runtime in synthetic else ""
        table.add_row(
            cell.task, f"{cell.runtime}{mark}", *([cell.arm] if arms else []), f"{bar} {cell.finished}/{cell.planned}",
            *(str(count or "·") for count in (cell.verified, cell.terminal, cell.censored, cell.excluded_tries)),
        )  # fmt: skip
    return table


def screen(
    title: str, cells: Sequence[CellCount], synthetic: Collection[str], total: str, running: Sequence[Running],
    notes: Sequence[str], size: tuple[int, int],
) -> Group:  # fmt: skip
    """All of a live view, cut to ``size`` (columns, lines): running attempts and notes first, then the longest rows."""
    width, height = size
    tail = list(_tail(running, notes, room=max(2, height // 2 - 3)))
    # Beside the rows: title, heads, "more rows", the mark's meaning, the totals, and the cursor's line.
    room = max(1, height - len(tail) - 5 - math.ceil(len(total) / width))
    shown = list(cells) if len(cells) <= room else sorted(cells, key=lambda cell: cell.finished >= cell.planned)[:room]
    parts: list[RenderableType] = [Text(title, style="bold", overflow="ellipsis", no_wrap=True)]
    parts.append(stage_table(shown, synthetic, width))
    if len(shown) < len(cells):
        parts.append(Text(f"  ... and {len(cells) - len(shown)} more rows", style="dim"))
    if width < 100 and any(cell.runtime in synthetic for cell in shown):
        parts.append(Text("* synthetic: an instrument, not a language model", style="dim"))
    return Group(*parts, Text(total, overflow="fold"), *tail)


def _tail(running: Sequence[Running], notes: Sequence[str], room: int) -> Iterator[Text]:
    """At most ``room`` lines: what runs, then, where there is room, what ended last."""
    shown = running if len(running) <= room else running[: room - 1]
    for one in shown:
        yield Text(f"  > {one.line()}", style="cyan", overflow="ellipsis", no_wrap=True)
    if len(shown) < len(running):
        yield Text(f"    ... and {len(running) - len(shown)} more running", style="cyan")
        return
    for line in notes[len(notes) - min(len(notes), room - len(running)) :]:
        yield Text(f"    {line}", style="dim", overflow="ellipsis", no_wrap=True)
