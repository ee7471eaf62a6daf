"""What a person sees of a collection: a live table on a terminal, plain lines elsewhere, a closing summary."""

from __future__ import annotations

import time
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

from rich.console import Console, Group
from rich.live import Live
from rich.table import Table
from rich.text import Text

from harness.attempt import Lost
from harness.cli.text import last_command, money, one_line, span
from harness.collection.collect import Options, Summary
from harness.collection.gating import Gated
from harness.collection.status import total_cost
from harness.protocol.freeze import FrozenStage
from harness.store.records import Attempt, TryResult
from harness.store.store import Store

if TYPE_CHECKING:
    from harness.store.records import CellCount


def event_text(result: TryResult | Lost) -> str:
    """How a try ended, in words."""
    if isinstance(result, Lost):
        return f"excluded: {result.exclusion} ({one_line(result.detail, 160)})"
    if result.event == "verified":
        return f"verified at call {result.call}"
    return f"{result.event} at call {result.call} ({result.reason})"


def gate_text(gated: Gated) -> str:
    """A gate's result, in words."""
    if gated.qualified and gated.result:
        return f"{gated.task}: qualified in {span(gated.result.seconds)}"
    return f"{gated.task}: NOT qualified: {gated.complaint}"


class PlainView:
    """One line per event, for logs."""

    def __init__(self) -> None:
        self._began = time.monotonic()
        self._done = self._total = 0

    def __enter__(self) -> PlainView:
        return self

    def __exit__(self, *_: object) -> None:
        pass

    def _say(self, text: str) -> None:
        print(f"[{span(time.monotonic() - self._began):>6}] {text}", flush=True)

    def begin(self, stage: FrozenStage, runtimes: tuple[str, ...], store: Store) -> None:
        cells = [cell for cell in store.counts(stage.protocol.stage) if cell.runtime in runtimes]
        self._total, self._done = sum(c.planned for c in cells), sum(c.finished for c in cells)
        synthetic = [name for name in runtimes if stage.protocol.runtimes[name].origin == "synthetic"]
        self._say(
            f"stage {stage.protocol.stage} ({stage.digest[:12]}), runtimes {', '.join(runtimes)}: "
            f"{self._done} of {self._total} attempts finished"
        )
        if synthetic:
            self._say(f"synthetic runtimes (instruments, not language models): {', '.join(synthetic)}")

    def phase(self, text: str) -> None:
        self._say(text)

    def warn(self, text: str) -> None:
        self._say(f"warning: {text}")

    def gated(self, gated: Gated) -> None:
        self._say(gate_text(gated))

    def started(self, attempt: Attempt, trajectory: Path) -> None:
        pass

    def ended(self, attempt: Attempt, result: TryResult | Lost) -> None:
        self._done += isinstance(result, TryResult)
        self._say(
            f"{self._done}/{self._total} {attempt.task} {attempt.runtime} repeat {attempt.repeat} "
            f"[{attempt.id[:10]}]: {event_text(result)}"
        )

    def tick(self) -> None:
        pass


class LiveView:
    """A table of tasks with progress, events and cost, and what runs now."""

    def __init__(self, console: Console | None = None) -> None:
        self._console = console or Console()
        self._live = Live(console=self._console, refresh_per_second=4, transient=False)
        self._began = time.monotonic()
        self._phase = "starting"
        self._running: dict[str, tuple[Attempt, Path, float]] = {}
        self._lines: list[str] = []
        self._stage: FrozenStage | None = None
        self._ran = 0

    def __enter__(self) -> LiveView:
        self._live.__enter__()
        return self

    def __exit__(self, kind: Any, error: Any, trace: Any) -> None:
        self._running.clear()
        self.tick()
        self._live.__exit__(kind, error, trace)

    def begin(self, stage: FrozenStage, runtimes: tuple[str, ...], store: Store) -> None:
        self._stage, self._runtimes, self._store = stage, runtimes, store
        self._phase = "collecting"
        self.tick()

    def phase(self, text: str) -> None:
        self._phase = text
        self.tick()

    def warn(self, text: str) -> None:
        self._console.print(Text(f"warning: {text}", style="yellow"))  # above the table, where it stays

    def gated(self, gated: Gated) -> None:
        self._note(gate_text(gated))

    def started(self, attempt: Attempt, trajectory: Path) -> None:
        self._phase = "collecting"
        self._running[attempt.id] = (attempt, trajectory, time.monotonic())
        self.tick()

    def ended(self, attempt: Attempt, result: TryResult | Lost) -> None:
        self._running.pop(attempt.id, None)
        self._ran += isinstance(result, TryResult)
        self._note(f"{attempt.task} {attempt.runtime} repeat {attempt.repeat}: {event_text(result)}")

    def _note(self, text: str) -> None:
        self._lines = [*self._lines[-4:], text]
        self.tick()

    def tick(self) -> None:
        if self._stage is not None:
            self._live.update(Group(*self._parts()))

    def _parts(self) -> Iterator[Any]:
        assert self._stage is not None
        cells = [c for c in self._store.counts(self._stage.protocol.stage) if c.runtime in self._runtimes]
        yield Text(f"{self._stage.protocol.stage}  {self._stage.protocol.title}", style="bold", overflow="ellipsis")
        yield self._table(cells)
        planned, finished = sum(c.planned for c in cells), sum(c.finished for c in cells)
        elapsed = time.monotonic() - self._began
        left = (
            f", about {span(elapsed / self._ran * (planned - finished))} left"
            if self._ran and finished < planned
            else ""
        )
        cost = money(total_cost(cells), sum(c.unknown_costs for c in cells))
        yield Text(
            f"{finished}/{planned} attempts, {cost}, {span(elapsed)} so far{left}   {self._phase}", overflow="ellipsis"
        )
        for attempt, trajectory, began in self._running.values():
            call, command = last_command(trajectory)
            name = f"  > {attempt.task} {attempt.runtime} #{attempt.repeat}"
            yield Text(
                f"{name}  call {call}/{attempt.horizon}  {span(time.monotonic() - began)}  $ {command}",
                style="cyan", overflow="ellipsis", no_wrap=True,
            )  # fmt: skip
        for line in self._lines:
            yield Text(f"    {line}", style="dim", overflow="ellipsis", no_wrap=True)

    def _named(self, runtime: str) -> str:
        """The runtime's name, with a mark where it is an instrument and no language model."""
        assert self._stage is not None
        synthetic = self._stage.protocol.runtimes[runtime].origin == "synthetic"
        return f"{runtime} (synthetic)" if synthetic else runtime

    def _table(self, cells: list[CellCount]) -> Table:
        table = Table(box=None, pad_edge=False)
        table.add_column("task")
        table.add_column("runtime")
        table.add_column("progress", min_width=18)
        for name in ("verified", "terminal", "censored", "excluded"):
            table.add_column(name, justify="right")
        for cell in cells:
            share = cell.finished / cell.planned if cell.planned else 0.0
            bar = "█" * round(share * 10) + "░" * (10 - round(share * 10))
            table.add_row(
                cell.task, self._named(cell.runtime), f"{bar} {cell.finished}/{cell.planned}",
                str(cell.verified or "·"),
                str(cell.terminal or "·"), str(cell.censored or "·"), str(cell.excluded_tries or "·"),
            )  # fmt: skip
        return table


def closing_lines(summary: Summary, options: Options) -> Iterator[str]:
    """What was done, what is left, and the commands that come next."""
    stage = options.stage
    if summary.recovered:
        yield f"{summary.recovered} tries of an earlier, ended run were recorded as interrupted."
    lost = ", ".join(f"{count} {name}" for name, count in sorted(summary.excluded.items()))
    yield f"{stage}: {summary.ran} attempts finished in this run" + (f"; excluded tries: {lost}" if lost else "") + "."
    if summary.remaining:
        yield f"{summary.remaining} attempts are left."
    if summary.elsewhere:
        yield f"{summary.elsewhere} of them are run by another controller."
    if summary.left_alone:
        yield f"{summary.left_alone} of them were lost many times; retry them with --redo-excluded."
    yield "next:"
    if summary.remaining:
        runtime = f" --runtime {options.runtime}" if options.runtime else ""
        yield f"  restartlab collect {stage}{runtime}    # resume"
    yield f"  restartlab status {stage}"
    yield f"  restartlab show ATTEMPT          # one attempt, call by call (ids: restartlab status {stage} --attempts)"
    yield f"  restartlab export {stage} -o {stage}.csv"
