"""A view whose output may fail: the collection goes on all the same."""

from __future__ import annotations

import contextlib
import os
import sys
from collections.abc import Callable
from typing import Any


class SteadyView:
    """Passes everything on to ``view`` until that raises ``OSError``: a closed terminal, a pipe without a reader.

    From then on it is silent: what was collected is in the store, and a stage that runs overnight does not end because
    nobody is there to read about it.
    """

    def __init__(self, view: Any):
        self._view, self._broken = view, False

    def __getattr__(self, name: str) -> Callable[..., None]:
        tell = getattr(self._view, name)

        def told(*facts: Any) -> None:
            if self._broken:
                return
            try:
                tell(*facts)
            except OSError:
                self._broken = True
                _drop_output()

        return told


def _drop_output() -> None:
    """Lets what is still buffered go nowhere: the start of a worker, for one, writes it out, and would fail too."""
    with contextlib.suppress(OSError, ValueError):
        null = os.open(os.devnull, os.O_WRONLY)
        os.dup2(null, sys.stdout.fileno())
        os.close(null)
