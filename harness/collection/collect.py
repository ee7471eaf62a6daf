"""``collect``: runs what a frozen stage still lacks, and stops in a state that the same command resumes from."""

from __future__ import annotations

import secrets
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, Protocol

from harness.attempt import Lost, Unit
from harness.collection.gating import Gated, gate_missing
from harness.collection.recovery import exclude_lost_try, keep_trajectory, recover_dead_tries, trajectory_file
from harness.doctor import require_sandbox
from harness.engines.local import Answer, LocalEngine
from harness.environment import host_environment
from harness.errors import InputError
from harness.paths import state_dir
from harness.plan import expand
from harness.protocol.digest import part_digests, stage_content
from harness.protocol.drift import describe, drift
from harness.protocol.freeze import FrozenStage, require_frozen
from harness.protocol.models import LocalModel
from harness.protocol.prompts import load_prompts
from harness.protocol.runtime import require_credentials, resolve_runtimes
from harness.store.blobs import Blobs
from harness.store.controller import Controller
from harness.store.records import Attempt, StageConflict, StoreConflict, TryResult
from harness.store.store import Store
from harness.workspace.workspace import sweep_work

#: Tries of one attempt in one run, when its worker or sandbox is lost.
TRIES_PER_RUN = 3
#: Excluded tries after which an attempt is left alone until ``--redo-excluded``.
TRIES_IN_ALL = 10
#: Losses that another try at once may mend; a provider that failed after all its retries is left to a later run.
_RETRIED = ("worker_lost", "sandbox_lost", "verifier_failure")


@dataclass(frozen=True)
class Options:
    """What ``collect`` was asked to do."""

    stage: str
    database: str | Path
    runtime: str | None = None
    workers: int = 2
    limit: int | None = None
    """Attempts to run at most."""
    tasks: tuple[str, ...] = ()
    """Only these tasks; empty for all."""
    redo_excluded: bool = False


@dataclass
class Summary:
    """What a run did and what is left."""

    stage: str
    digest: str
    runtimes: tuple[str, ...]
    ran: int = 0
    excluded: Counter[str] = field(default_factory=Counter)
    unqualified: dict[str, str] = field(default_factory=dict)
    recovered: int = 0
    remaining: int = 0
    """Attempts of the chosen runtimes and tasks without a counted try."""
    left_alone: int = 0
    """Of these, attempts with too many excluded tries."""
    elsewhere: int = 0
    """Of these, attempts that another controller is running."""
    interrupted: bool = False


class View(Protocol):
    """Who is told of the progress."""

    def begin(self, stage: FrozenStage, runtimes: tuple[str, ...], store: Store) -> None: ...
    def phase(self, text: str) -> None: ...
    def gated(self, gated: Gated) -> None: ...
    def started(self, attempt: Attempt, trajectory: Path) -> None: ...
    def ended(self, attempt: Attempt, result: TryResult | Lost) -> None: ...
    def tick(self) -> None: ...


class Interrupted(Exception):
    """The user asked to stop."""


@dataclass
class _Running:
    attempt: Attempt
    try_id: int
    trajectory: Path


class Collection:
    """One run of ``collect``. ``stop`` may be called from a signal handler."""

    def __init__(self, options: Options, view: View):
        self._options, self._view = options, view
        self._stopping = False

    def stop(self) -> None:
        """Asks for the end: no new attempts; running tries are recorded as interrupted."""
        self._stopping = True

    def run(self) -> Summary:
        """Collects.

        Raises:
            InputError: the stage is not frozen or has changed, a credential is missing ...; nothing was started.
        """
        options = self._options
        stage = require_frozen(options.stage)
        runtimes = resolve_runtimes(stage.protocol, options.runtime)
        require_credentials(stage.protocol, runtimes)
        for task in options.tasks:
            if task not in stage.protocol.tasks:
                raise InputError(
                    f"{task!r} is not a task of {options.stage}", file="--task", mend=f"tasks: {', '.join(stage.tasks)}"
                )
        require_sandbox(stage.protocol.sandbox.kind)
        with (
            Store.open(options.database) as store,
            _local_model(stage, runtimes, options.workers) as url,
            LocalEngine(options.workers) as engine,
        ):
            return self._collect(stage, runtimes, store, engine, url)

    def _collect(
        self, stage: FrozenStage, runtimes: tuple[str, ...], store: Store, engine: LocalEngine, local_url: str | None
    ) -> Summary:
        options, view = self._options, self._view
        self._store, self._engine, self._stage, self._local_url = store, engine, stage, local_url
        self._controller = Controller.current()
        summary = Summary(options.stage, stage.digest, runtimes)
        register(store, stage)
        store.choose_set(options.stage, stage.digest, options.runtime or stage.protocol.default_set)
        summary.recovered = recover_dead_tries(store, options.stage)
        sweep_work()
        if stage.protocol.sandbox.kind == "docker":
            from harness.sandbox.docker.leftovers import leftovers

            for left in leftovers():
                left.remove()
        Blobs(state_dir() / "blobs").sweep()
        chosen = {name: task for name, task in stage.tasks.items() if not options.tasks or name in options.tasks}
        planned = expand(stage.protocol, stage.digest, runtimes)
        store.plan(planned)
        view.begin(stage, runtimes, store)
        waiting = self._waiting(planned, chosen, summary)
        needed = {attempt.task for attempt in waiting}
        if needed:
            try:
                summary.unqualified = gate_missing(
                    engine, store, {name: task for name, task in chosen.items() if name in needed},
                    stage.protocol.sandbox.kind,
                    lambda names: view.phase(f"gating {', '.join(names)} (first use on this machine)"),
                    view.gated, self._tick,
                )  # fmt: skip
            except Interrupted:
                summary.interrupted = True
        waiting = [attempt for attempt in waiting if attempt.task not in summary.unqualified]
        if not summary.interrupted:
            self._run_all(waiting[: options.limit], summary)
        left = store.attempts_to_run(options.stage, runtimes=runtimes, tasks=list(chosen))
        summary.remaining = len(left)
        return summary

    def _tick(self) -> None:
        self._view.tick()
        if self._stopping:
            raise Interrupted

    def _waiting(self, planned: list[Attempt], chosen: Any, summary: Summary) -> list[Attempt]:
        """Attempts to run now, in planned order."""
        states = {
            state.attempt.id: state
            for state in self._store.attempts_to_run(self._options.stage, runtimes=summary.runtimes, tasks=list(chosen))
        }
        waiting = []
        for attempt in planned:
            state = states.get(attempt.id)
            if state is None:
                continue
            if state.running:
                summary.elsewhere += 1
            elif state.excluded >= TRIES_IN_ALL and not self._options.redo_excluded:
                summary.left_alone += 1
            else:
                waiting.append(attempt)
        return waiting

    def _run_all(self, waiting: list[Attempt], summary: Summary) -> None:
        """Keeps the workers busy until nothing waits or the user stops."""
        running: dict[str, _Running] = {}
        tries: Counter[str] = Counter()
        try:
            while waiting or running:
                while waiting and self._engine.free:
                    attempt = waiting.pop(0)
                    started = self._start(attempt)
                    if started:
                        running[attempt.id] = started
                        tries[attempt.id] += 1
                    else:
                        summary.elsewhere += 1
                for answer in self._engine.answers(0.5):
                    done = running.pop(answer.key)
                    lost = self._finish(done, answer)
                    if lost is None:
                        summary.ran += 1
                        continue
                    summary.excluded[lost] += 1
                    if lost in _RETRIED and tries[answer.key] < TRIES_PER_RUN:
                        waiting.insert(0, done.attempt)
                self._tick()
        except Interrupted:
            summary.interrupted = True
        finally:
            if running:  # interrupted, or an error on the way out: the workers end first, so nothing writes any more
                self._engine.stop()
                for left in running.values():
                    exclude_lost_try(self._store, left.try_id, left.trajectory, "interrupted", "stopped by the user")
                    summary.excluded["interrupted"] += 1

    def _start(self, attempt: Attempt) -> _Running | None:
        """Records the try, then hands it out; None when another controller was faster."""
        path = trajectory_file(f"{secrets.token_hex(8)}.jsonl")
        try:
            environment = {**host_environment(), "trajectory_file": path.name}
            try_id = self._store.start_try(attempt.id, self._controller, environment)
        except StoreConflict:
            return None
        unit = Unit(self._stage.protocol, attempt, self._stage.tasks[attempt.task].digest, path, self._local_url)
        self._engine.submit(attempt.id, ("try", unit))
        self._view.started(attempt, path)
        return _Running(attempt, try_id, path)

    def _finish(self, done: _Running, answer: Answer) -> str | None:
        """Writes what came back; the exclusion if the try does not count."""
        if not answer.ok:
            reason = "worker_lost" if answer.lost else "harness_failure"
            detail = "the worker process ended" if answer.lost else str(answer.result)[-2000:]
            exclude_lost_try(self._store, done.try_id, done.trajectory, reason, detail)
            self._view.ended(done.attempt, Lost(reason, detail, 0, 0.0, None, {}, ()))
            return reason
        trajectory = keep_trajectory(done.trajectory, Blobs(state_dir() / "blobs"))
        result = answer.result
        self._view.ended(done.attempt, result)
        if isinstance(result, Lost):
            self._store.exclude_try(
                done.try_id, result.exclusion, calls=result.calls, wall_s=result.wall_s, cost_usd=result.cost_usd,
                trajectory=trajectory, outcome=result.outcome, done=result.actions,
            )  # fmt: skip
            return result.exclusion
        self._store.finish_try(done.try_id, replace(result, trajectory=trajectory))
        return None


def register(store: Store, stage: FrozenStage) -> None:
    """Records the stage; refuses, naming the keys, when the database holds attempts of another digest."""
    prompts = load_prompts(stage.protocol.agent.prompts)
    content = stage_content(stage.protocol, {n: t.parts for n, t in stage.tasks.items()}, prompts.digest)
    try:
        store.register_stage(stage.protocol.stage, stage.digest, content)
    except StageConflict as conflict:
        changes = drift(part_digests(conflict.recorded_protocol), part_digests(content))
        raise InputError(
            f"{conflict.what}; changed: {describe(changes)}",
            file="database",
            key=stage.protocol.stage,
            mend="restore the protocol and its tasks as they were, or give the changed one a new stage name",
        ) from None


@contextmanager
def _local_model(stage: FrozenStage, runtimes: tuple[str, ...], workers: int) -> Iterator[str | None]:
    """The local model's server, if a runtime needs it."""
    if not any(isinstance(stage.protocol.runtimes[name].model, LocalModel) for name in runtimes):
        yield None
        return
    from harness.models.local_server import local_server

    with local_server(slots=workers) as url:
        yield url
