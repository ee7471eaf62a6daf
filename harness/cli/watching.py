"""``restartlab status --watch``: follows a collection that another process runs."""

from __future__ import annotations

import sys
import time
from pathlib import Path

from rich.console import Console
from rich.live import Live

from harness.cli.stage_view import HEARTBEAT_SECONDS, Running, attempt_name, log_line, screen, totals
from harness.cli.text import one_line
from harness.collection.following import Follower, Look
from harness.store.events import EventRow
from harness.store.store import Store


def follow(place: str | Path, stage: str, seconds: float) -> None:
    """Shows the stage until nothing runs and nothing is left, or the user stops it.

    A live table on a terminal; elsewhere a line for each try that ended, and one a minute.
    """
    with Store.open(place, create=False) as store:
        follower = Follower(store, stage)
        try:
            if sys.stdout.isatty():
                _on_terminal(follower, stage, seconds)
            else:
                _in_a_log(follower, stage, seconds)
        except KeyboardInterrupt:
            return


def _on_terminal(follower: Follower, stage: str, seconds: float) -> None:
    console = Console()
    notes: list[str] = []
    with Live(console=console, auto_refresh=False) as live:
        while True:
            look = follower.look()
            notes = [*notes, *(_ended(row) for row in look.ended)][-5:]
            synthetic = [name for name, origin in follower.origins().items() if origin == "synthetic"]
            total = f"{totals(look.cells, look.elapsed, look.ran)}   {_phase(look)}"
            live.update(screen(stage, look.cells, synthetic, total, _running(look), notes, console.size), refresh=True)
            if look.over:
                return
            time.sleep(seconds)


def _in_a_log(follower: Follower, stage: str, seconds: float) -> None:
    phase, said = "", 0.0
    while True:
        look = follower.look()
        for row in look.ended:
            print(log_line(f"{_ended(row)} [{follower.attempt_id(row)[:10]}]"), flush=True)
        now = time.monotonic()
        if look.over or _phase(look) != phase or now - said >= HEARTBEAT_SECONDS:
            phase, said = _phase(look), now
            running = "; running: " + ", ".join(one.place() for one in _running(look)) if look.running else ""
            print(log_line(f"{stage}: {totals(look.cells, look.elapsed, look.ran)}; {phase}{running}"), flush=True)
        if look.over:
            return
        time.sleep(seconds)


def _phase(look: Look) -> str:
    if look.over:
        return "complete"
    if look.running:
        return "collecting"
    dead = f" ({look.left} tries of an ended one are still to be recorded as interrupted)" if look.left else ""
    return f"nothing runs now{dead}"


def _running(look: Look) -> list[Running]:
    return [
        Running(
            attempt_name(one.attempt.task, one.attempt.runtime, one.attempt.repeat), one.attempt.horizon,
            one.trajectory, one.seconds,
        )
        for one in look.running
    ]  # fmt: skip


def _ended(row: EventRow) -> str:
    how = f"{row.event} at call {row.call}" + (f" ({row.reason})" if row.reason else "")
    shown = how if row.valid else f"excluded: {row.exclusion} at call {row.call}"
    return one_line(f"{attempt_name(row.task, row.runtime, row.repeat)}: {shown}", 300)
