"""What a person sees of a collection: a live table on a terminal, plain lines elsewhere, a closing summary."""

from __future__ import annotations

import time
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

from rich.console import Console
from rich.live import Live
from rich.text import Text

from harness.attempt import Lost
from harness.cli.stage_view import HEARTBEAT_SECONDS, Running, attempt_name, log_line, screen, totals
from harness.cli.text import one_line, span
from harness.collection.gating import Gated
from harness.collection.terms import Options, Summary
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
    """One line per event, for logs, and one a minute that says it goes on. Whatever agents wrote is harmless in it."""

    def __init__(self) -> None:
        self._began = self._said = time.monotonic()
        self._ran = 0
        self._running: dict[str, tuple[Attempt, Path, float]] = {}
        self._store: Store | None = None

    def __enter__(self) -> PlainView:
        return self

    def __exit__(self, *_: object) -> None:
        pass

    def _say(self, text: str) -> None:
        self._said = time.monotonic()
        print(log_line(one_line(text, 600)), flush=True)

    def begin(self, stage: FrozenStage, runtimes: tuple[str, ...], store: Store) -> None:
        self._stage, self._runtimes, self._store = stage.protocol.stage, runtimes, store
        cells = self._cells()
        self._total, self._done = sum(c.planned for c in cells), sum(c.finished for c in cells)
        self._say(
            f"stage {self._stage} ({stage.digest[:12]}), runtimes {', '.join(runtimes)}: "
            f"{self._done} of {self._total} attempts finished"
        )
        if synthetic := _synthetic(stage, runtimes):
            self._say(f"synthetic runtimes (instruments, not language models): {', '.join(synthetic)}")

    def _cells(self) -> list[CellCount]:
        assert self._store is not None
        return [cell for cell in self._store.counts(self._stage) if cell.runtime in self._runtimes]

    def phase(self, text: str) -> None:
        self._say(text)

    def warn(self, text: str) -> None:
        self._say(f"warning: {text}")

    def gated(self, gated: Gated) -> None:
        self._say(gate_text(gated))

    def started(self, attempt: Attempt, trajectory: Path) -> None:
        self._running[attempt.id] = (attempt, trajectory, time.monotonic())

    def ended(self, attempt: Attempt, result: TryResult | Lost) -> None:
        self._running.pop(attempt.id, None)
        self._done += isinstance(result, TryResult)
        self._ran += isinstance(result, TryResult)
        self._say(
            f"{self._done}/{self._total} {attempt.task} {attempt.runtime} repeat {attempt.repeat} "
            f"[{attempt.id[:10]}]: {event_text(result)}"
        )

    def tick(self) -> None:
        now = time.monotonic()
        if self._store is None or now - self._said < HEARTBEAT_SECONDS:
            return
        running = [_running(*one).place() for one in self._running.values()]
        also = f"; running: {', '.join(running)}" if running else ""
        self._say(f"{totals(self._cells(), now - self._began, self._ran)}{also}")


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
        self._note(f"{attempt_name(attempt.task, attempt.runtime, attempt.repeat)}: {event_text(result)}")

    def _note(self, text: str) -> None:
        self._lines = [*self._lines[-4:], one_line(text, 300)]
        self.tick()

    def tick(self) -> None:
        if self._stage is None:
            return
        name = self._stage.protocol.stage
        cells = [cell for cell in self._store.counts(name) if cell.runtime in self._runtimes]
        total = f"{totals(cells, time.monotonic() - self._began, self._ran)}   {self._phase}"
        shown = screen(
            f"{name}  {self._stage.protocol.title}", cells, _synthetic(self._stage, self._runtimes), total,
            [_running(*one) for one in self._running.values()], self._lines, self._console.size,
        )  # fmt: skip
        self._live.update(shown)


def _running(attempt: Attempt, trajectory: Path, began: float) -> Running:
    name = attempt_name(attempt.task, attempt.runtime, attempt.repeat)
    return Running(name, attempt.horizon, trajectory, time.monotonic() - began)


def _synthetic(stage: FrozenStage, runtimes: tuple[str, ...]) -> list[str]:
    """Those of the runtimes that are instruments and no language models."""
    return [name for name in runtimes if stage.protocol.runtimes[name].origin == "synthetic"]


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
