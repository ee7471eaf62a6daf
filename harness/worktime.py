"""Working time of an attempt: its wall time without what it waited for others (a provider's trouble, a free slot)."""

from __future__ import annotations

import threading
import time
from bisect import bisect_left, bisect_right
from collections.abc import Callable, Iterator
from contextlib import contextmanager


class WorkTime:
    """A stopwatch that runs from its making on.

    Waits are kept as intervals and measured as their union: two that overlap, in two threads say, count once, so
    working time never goes backwards or below zero.

    Args:
        limit: working seconds that the attempt may use.
        clock: seconds; monotonic, so that a host whose time of day is set changes no limit.
    """

    def __init__(self, limit: float = float("inf"), clock: Callable[[], float] = time.monotonic):
        self.limit, self._clock = limit, clock
        self._began = clock()
        self._waits: list[tuple[float, float]] = []
        """Disjoint, ascending. A call adds one or two, and asks for their sum: neither may look through all of them."""
        self._measured = 0.0
        self._open: list[float] = []
        """Beginnings of waits that go on."""
        self._lock = threading.Lock()

    def now(self) -> float:
        """The clock, seconds."""
        return self._clock()

    def waited(self, begin: float, end: float) -> None:
        """Counts the time from ``begin`` to ``end`` (of :meth:`now`) as waiting."""
        begin = max(begin, self._began)
        if end <= begin:
            return
        with self._lock:
            first, last = self._touching(begin, end)
            touched = self._waits[first:last]
            if touched:
                begin, end = min(begin, touched[0][0]), max(end, touched[-1][1])
            self._waits[first:last] = [(begin, end)]
            self._measured += (end - begin) - sum(there - here for here, there in touched)

    @contextmanager
    def waiting(self) -> Iterator[None]:
        """Counts the time inside as waiting."""
        begin = self._clock()
        with self._lock:
            self._open.append(begin)
        try:
            yield
        finally:
            end = self._clock()
            with self._lock:
                self._open.remove(begin)
            self.waited(begin, end)

    def _touching(self, begin: float, end: float) -> tuple[int, int]:
        """Which waits, from the first to before the last, overlap or touch an interval."""
        first = bisect_left(self._waits, begin, key=lambda wait: wait[1])
        return first, bisect_right(self._waits, end, key=lambda wait: wait[0])

    def _waited_until(self, now: float) -> float:
        with self._lock:
            if not self._open:
                return self._measured
            begin = min(self._open)  # those that go on are together one interval, from the first beginning until now
            first, last = self._touching(begin, now)
            known = sum(min(there, now) - max(here, begin) for here, there in self._waits[first:last])
            return self._measured + max(0.0, now - begin - known)

    @property
    def waiting_s(self) -> float:
        """Seconds waited so far."""
        return self._waited_until(self._clock())

    @property
    def working_s(self) -> float:
        """Seconds worked so far."""
        now = self._clock()
        return max(0.0, now - self._began - self._waited_until(now))

    @property
    def left(self) -> float:
        """Working seconds left before the limit; 0 or less when it has fired."""
        return self.limit - self.working_s
