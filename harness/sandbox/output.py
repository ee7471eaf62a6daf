"""Keeps the head and the tail of a command's output within a cap."""

from __future__ import annotations

import time

from harness.sandbox.interface import Result


class CappedOutput:
    """Collects bytes; past ``cap`` it keeps the first and the last half and counts what was dropped.

    Bytes stay bytes: a character split over two reads is whole again in ``data()``.
    """

    def __init__(self, cap: int):
        self._head_cap = cap - cap // 2
        self._tail_cap = cap // 2
        self._head = bytearray()
        self._tail = bytearray()
        self.total = 0

    def add(self, data: bytes) -> None:
        self.total += len(data)
        room = self._head_cap - len(self._head)
        self._head += data[:room]
        self._tail += data[room:] if room > 0 else data
        if len(self._tail) > 2 * self._tail_cap + 65536:
            del self._tail[: len(self._tail) - self._tail_cap]

    @property
    def truncated(self) -> int:
        """Bytes dropped."""
        return max(0, self.total - self._head_cap - self._tail_cap)

    def data(self) -> bytes:
        """The kept bytes, with an explicit mark where some were dropped."""
        if not self.truncated:
            return bytes(self._head + self._tail)
        mark = b"\n[... %d bytes of output dropped ...]\n" % self.truncated
        return bytes(self._head) + mark + bytes(self._tail[len(self._tail) - self._tail_cap :])


def finished(code: int, reached: str | None, captured: CappedOutput, started: float, left: bool) -> Result:
    """The result of a command that has ended now.

    Args:
        code: its exit status, where no limit ended it.
        reached: the limit that did.
        started: when it began, by the monotonic clock.
        left: whether it left processes behind.
    """
    return Result(
        returncode=-1 if reached else code,
        output=captured.data(),
        seconds=time.monotonic() - started,
        timed_out=reached == "seconds",
        limit=reached,
        truncated_bytes=captured.truncated,
        background_left=left,
    )
