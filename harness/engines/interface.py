"""What every engine offers: places to run jobs in."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Protocol

from harness.engines.local import Answer


class Engine(Protocol):
    """Runs jobs, several at once; ``stop`` may be called twice."""

    @property
    def running(self) -> list[Any]:
        """Keys of the jobs in hand."""

    @property
    def free(self) -> bool:
        """Whether another job can start at once."""

    def submit(self, key: Any, job: tuple[str, Any]) -> None:
        """Starts a job; call only when ``free``. ``key`` comes back with the answer, or with why there is none."""

    def answers(self, seconds: float) -> Iterator[Answer]:
        """Answers that are there, waiting at most ``seconds`` for the first."""

    def stop(self) -> None:
        """Ends all jobs in hand and with them every sandbox."""
