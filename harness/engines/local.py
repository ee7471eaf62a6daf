"""A pool of worker processes on this machine; one that dies or hangs takes only its own job with it."""

from __future__ import annotations

import multiprocessing
import os
import signal
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass, field
from multiprocessing.connection import Connection, wait
from multiprocessing.process import BaseProcess
from typing import Any

from harness.attempt import Lost
from harness.engines.hung import Silence
from harness.engines.worker import LEFT_TO_THE_CONTROLLER, Failure, main

#: Time for a killed process to be gone (seconds); one that hangs in the kernel is left to it.
_END_SECONDS = 20.0
_LOST = Failure("worker_lost", "the worker process ended")


@dataclass(frozen=True)
class Answer:
    """What came of a job: its result, or why there is none."""

    key: Any
    result: Any = None
    failure: Failure | None = None

    @property
    def ok(self) -> bool:
        return self.failure is None


@dataclass
class _Worker:
    process: BaseProcess
    connection: Connection
    key: Any = None
    silence: Silence = field(default_factory=Silence)


class LocalEngine:
    """Runs jobs in ``workers`` processes; use as a context manager.

    Worker processes start on the first job, fresh (spawned), so that they inherit no locks or threads.
    """

    def __init__(self, workers: int):
        self._size = workers
        self._context = multiprocessing.get_context("spawn")
        self._workers: list[_Worker] = []
        self._at_once: list[Answer] = []

    @property
    def running(self) -> list[Any]:
        """Keys of the jobs in hand."""
        at_once = [answer.key for answer in self._at_once]
        return at_once + [worker.key for worker in self._workers if worker.key is not None]

    @property
    def free(self) -> bool:
        """Whether another job can start at once."""
        return len(self.running) < self._size

    def submit(self, key: Any, job: tuple[str, Any]) -> None:
        """Starts a job; call only when ``free``. ``key`` comes back with the answer, or with why there is none."""
        for idle in [worker for worker in self._workers if worker.key is None]:
            if self._hand_over(idle, key, job):
                return
        if not self._hand_over(self._start(), key, job):  # killed in its first moments
            self._at_once.append(Answer(key, failure=_LOST))

    def _hand_over(self, worker: _Worker, key: Any, job: tuple[str, Any]) -> bool:
        """Whether the worker took the job; one that was dead already is forgotten."""
        if worker.process.is_alive():
            with suppress(OSError):
                worker.connection.send(job)
                worker.key, worker.silence = key, Silence.of(job)
                return True
        self._drop(worker)
        return False

    def _start(self) -> _Worker:
        ours, theirs = self._context.Pipe()
        process = self._context.Process(target=main, args=(theirs, os.getpid()), daemon=True)
        # It inherits that these signals wait, until it has handlers for them.
        before = signal.pthread_sigmask(signal.SIG_BLOCK, LEFT_TO_THE_CONTROLLER)
        try:
            process.start()
        finally:
            signal.pthread_sigmask(signal.SIG_SETMASK, before)
        theirs.close()
        worker = _Worker(process, ours)
        self._workers.append(worker)
        return worker

    def answers(self, seconds: float) -> Iterator[Answer]:
        """Answers that are there, waiting at most ``seconds`` for the first; lost and hung jobs are answers too."""
        while self._at_once:
            yield self._at_once.pop()
        busy = [worker for worker in self._workers if worker.key is not None]
        if not busy:
            return
        ready = set(wait([worker.connection for worker in busy], timeout=seconds))
        for worker in busy:
            if worker.connection in ready:
                yield self._answer(worker)
            elif worker.silence.too_long():
                detail = f"no progress for {worker.silence.limit:g} s; the worker process was killed"
                yield Answer(self._drop(worker), failure=Failure("worker_hung", detail))

    def _answer(self, worker: _Worker) -> Answer:
        try:
            ok, result = worker.connection.recv()
        except (EOFError, OSError):
            return Answer(self._drop(worker), failure=_LOST)
        if not ok:  # whatever failed, a fresh process takes the next job
            return Answer(self._drop(worker), failure=result)
        if isinstance(result, Lost):  # as it may be the worker that lacks something: memory, say
            return Answer(self._drop(worker), result)
        key, worker.key = worker.key, None
        return Answer(key, result)

    def _drop(self, worker: _Worker) -> Any:
        """Ends a worker; the key of its job."""
        self._workers.remove(worker)
        worker.connection.close()
        worker.process.kill()
        worker.process.join(_END_SECONDS)
        return worker.key

    def stop(self) -> None:
        """Ends all workers and with them every sandbox; running jobs are lost."""
        for worker in self._workers:
            worker.process.kill()
        for worker in list(self._workers):
            self._drop(worker)

    def __enter__(self) -> LocalEngine:
        return self

    def __exit__(self, *_: object) -> None:
        self.stop()
