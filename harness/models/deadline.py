"""A hard end for a request. The clients' own timeouts bound single reads: a body that drips in forever never ends."""

from __future__ import annotations

import signal
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

#: Seconds after which the alarm rings again, should code on the way out have swallowed it (a finaliser, say).
_AGAIN = 5.0


class DeadlineReached(BaseException):
    """A request took too long. No ``Exception``: the clients between here and the socket would take it for theirs."""


def _ring(*_: Any) -> None:
    raise DeadlineReached


@contextmanager
def deadline(seconds: float) -> Iterator[None]:
    """Raises ``DeadlineReached`` in the body after ``seconds`` (above 0), whatever it is blocked in.

    By an alarm signal, so only in the main thread of a process, which is where workers run their attempts.
    """
    before = signal.signal(signal.SIGALRM, _ring)
    try:
        signal.setitimer(signal.ITIMER_REAL, seconds, _AGAIN)
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)
