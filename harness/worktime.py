"""Working time of an attempt: its wall time without what it waited for others (a provider's trouble, a free slot)."""

from __future__ import annotations

import threading
import time
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
        """Disjoint, ascending."""
        self._open: list[float] = []
        """Beginnings of waits that go on."""
        self._lock = threading.Lock()

    def now(self) -> float:
        """The clock, seconds."""
        return self._clock()

    def waited(self, begin: float, end: float) -> None:
        """Counts the time from ``begin`` to ``end`` (of :meth:`now`) as waiting."""
        with self._lock:
            self._waits = _merged([*self._waits, (max(begin, self._began), end)])

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

    def _waited_until(self, now: float) -> float:
        with self._lock:
            waits = _merged([*self._waits, *((begin, now) for begin in self._open)])
        return sum(end - begin for begin, end in waits)

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


def _merged(intervals: list[tuple[float, float]]) -> list[tuple[float, float]]:
    """The union of intervals as disjoint ones; empty and reversed intervals are left out."""
    union: list[tuple[float, float]] = []
    for begin, end in sorted(one for one in intervals if one[1] > one[0]):
        if union and begin <= union[-1][1]:
            union[-1] = (union[-1][0], max(union[-1][1], end))
        else:
            union.append((begin, end))
    return union
