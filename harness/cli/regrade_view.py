"""How far a regrade is, on standard error: one line that changes on a terminal, a line now and then elsewhere."""

from __future__ import annotations

import sys
import time

from rich.console import Console

from harness.cli.text import span
from harness.collection.regrade import View

#: Seconds between two lines where there is no terminal.
_SECONDS = 15.0


class RegradeView(View):
    """Use as a context manager."""

    def __init__(self) -> None:
        self._began = self._said = time.monotonic()
        self._states = 0
        console = Console(stderr=True)
        self._status = console.status("reading") if console.is_terminal else None

    def __enter__(self) -> RegradeView:
        if self._status:
            self._status.start()
        return self

    def __exit__(self, *_: object) -> None:
        if self._status:
            self._status.stop()

    def begin(self, states: int, tries: int) -> None:
        self._states = states
        self._say(f"{states} distinct states of {tries} attempts")

    def warn(self, text: str) -> None:
        self._say(f"warning: {text}")

    def judged(self, done: int, cached: int) -> None:
        text = f"{done} of {self._states} states judged, {cached} of them known before"
        if self._status:
            self._status.update(f"{text}, {span(time.monotonic() - self._began)}")
        elif time.monotonic() - self._said >= _SECONDS:
            self._said = time.monotonic()
            self._say(text)

    def _say(self, text: str) -> None:
        if self._status:
            self._status.console.print(text, markup=False, highlight=False)
        else:
            print(f"[{span(time.monotonic() - self._began):>6}] {text}", file=sys.stderr, flush=True)
