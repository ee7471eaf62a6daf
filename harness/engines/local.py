"""A pool of worker processes on this machine; one that dies takes only its own job with it."""

from __future__ import annotations

import multiprocessing
import os
from collections.abc import Iterator
from dataclasses import dataclass
from multiprocessing.connection import Connection, wait
from multiprocessing.process import BaseProcess
from typing import Any

from harness.engines.worker import main


@dataclass(frozen=True)
class Answer:
    """What came of a job. ``lost`` means that the worker died; then ``result`` is None."""

    key: Any
    ok: bool
    result: Any
    lost: bool = False


@dataclass
class _Worker:
    process: BaseProcess
    connection: Connection
    key: Any = None


class LocalEngine:
    """Runs jobs in ``workers`` processes; use as a context manager.

    Worker processes start on the first job, fresh (spawned), so that they inherit no locks or threads.
    """

    def __init__(self, workers: int):
        self._size = workers
        self._context = multiprocessing.get_context("spawn")
        self._workers: list[_Worker] = []

    @property
    def running(self) -> list[Any]:
        """Keys of the jobs in hand."""
        return [worker.key for worker in self._workers if worker.key is not None]

    @property
    def free(self) -> bool:
        """Whether another job can start at once."""
        return len(self.running) < self._size

    def submit(self, key: Any, job: tuple[str, Any]) -> None:
        """Starts a job; call only when ``free``. ``key`` comes back with the answer."""
        idle = next((worker for worker in self._workers if worker.key is None), None) or self._start()
        idle.key = key
        idle.connection.send(job)

    def _start(self) -> _Worker:
        ours, theirs = self._context.Pipe()
        process = self._context.Process(target=main, args=(theirs, os.getpid()), daemon=True)
        process.start()
        theirs.close()
        worker = _Worker(process, ours)
        self._workers.append(worker)
        return worker

    def answers(self, seconds: float) -> Iterator[Answer]:
        """Answers that are there, waiting at most ``seconds`` for the first."""
        busy = [worker for worker in self._workers if worker.key is not None]
        if not busy:
            return
        ready = set(wait([worker.connection for worker in busy], timeout=seconds))
        for worker in busy:
            if worker.connection not in ready:
                continue
            key, worker.key = worker.key, None
            try:
                ok, result = worker.connection.recv()
            except (EOFError, OSError):
                self._drop(worker)
                yield Answer(key, False, None, lost=True)
            else:
                yield Answer(key, ok, result)

    def _drop(self, worker: _Worker) -> None:
        self._workers.remove(worker)
        worker.connection.close()
        worker.process.kill()
        worker.process.join()

    def stop(self) -> None:
        """Ends all workers and with them every sandbox; running jobs are lost."""
        for worker in list(self._workers):
            self._drop(worker)

    def __enter__(self) -> LocalEngine:
        return self

    def __exit__(self, *_: object) -> None:
        self.stop()
