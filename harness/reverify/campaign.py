"""Executes many records in the engine's workers, and stops in a state that the same command resumes from."""

from __future__ import annotations

import contextlib
import secrets
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

from harness.attempt import Lost
from harness.collection.heartbeat import Heartbeat
from harness.collection.recovery import (
    exclude_lost_try,
    keep_trajectory,
    recover_dead_tries,
    sweep_trajectories,
    trajectory_file,
)
from harness.disk import shortage
from harness.doctor import require_sandbox
from harness.engines.factory import default_workers
from harness.engines.local import Answer, LocalEngine
from harness.environment import host_environment
from harness.importers.record import Record
from harness.paths import state_dir
from harness.reverify.document import FINAL_EXCLUSIONS, latest
from harness.reverify.job import Job, Rules
from harness.reverify.planning import Assigned, assign
from harness.store.blobs import Blobs
from harness.store.controller import Controller
from harness.store.records import StoreConflict, TryResult
from harness.store.store import Store
from harness.temporary import sweep_temporary
from harness.workspace.workspace import sweep_work
from tasks.registry import load_task

#: Tries of one attempt in one run, when its worker or sandbox is lost.
TRIES_PER_RUN = 2

#: Told of each end: the attempt, its result, how many are done, of how many.
OnEnd = Callable[[Assigned, TryResult | Lost, int, int], None]


@dataclass
class Outcome:
    """What a run did."""

    total: int
    held: int = 0
    """Executed in an earlier run."""
    ran: int = 0
    lost: Counter[str] = field(default_factory=Counter)
    left: int = 0
    interrupted: bool = False
    full: str | None = None
    """Why no further attempt was started."""


@dataclass
class _Running:
    assigned: Assigned
    try_id: int
    trajectory: Path


class Campaign:
    """One run of ``reverify``. ``stop`` may be called from a signal handler.

    Args:
        by_task: records by task id.
        limit: attempts to execute at most; None for all.
    """

    def __init__(
        self, store: Store, rules: Rules, by_task: dict[str, list[Record]], *, workers: int | None, limit: int | None,
        on_end: OnEnd,
    ):  # fmt: skip
        self._store, self._rules, self._by_task = store, rules, by_task
        self._workers, self._limit, self._on_end = workers or default_workers(), limit, on_end
        self._stopping = False
        self._blobs = Blobs(state_dir() / "blobs")
        self._digests = {name: load_task(name).digest for name in by_task}

    def stop(self) -> None:
        """Asks for the end: nothing new starts; running tries are recorded as interrupted."""
        self._stopping = True

    def run(self) -> Outcome:
        """Executes what has not been executed yet.

        Raises:
            InputError: no sandbox here, or the database holds the stage under other rules.
        """
        require_sandbox(self._rules.sandbox)
        store, stage = self._store, self._rules.stage
        store.register_stage(stage, self._rules.digest, self._rules.protocol())
        controller = Controller.current()
        recover_dead_tries(store, stage)
        sweep_trajectories(store)
        sweep_work()
        self._blobs.sweep()
        sweep_temporary(state_dir() / "verdicts")
        held = store.ended_tries(stage)
        assigned = assign(
            self._by_task, self._rules, store.attempts(stage),
            [(attempt.id, facts["environment"]) for attempt, facts in held],
        )  # fmt: skip
        store.plan(one.attempt for one in assigned)
        done = {
            one for one, (_, facts) in latest(held).items()
            if facts["valid"] or facts["exclusion"] in FINAL_EXCLUSIONS
        }  # fmt: skip
        waiting = [one for one in assigned if one.attempt.id not in done]
        outcome = Outcome(len(assigned), held=len(assigned) - len(waiting))
        try:
            with Heartbeat(store, controller), LocalEngine(self._workers) as engine:
                self._run_all(waiting[: self._limit], controller, engine, outcome)
        finally:
            sweep_work()
        outcome.left = len(waiting) - outcome.ran
        return outcome

    def _run_all(
        self, waiting: Sequence[Assigned], controller: Controller, engine: LocalEngine, outcome: Outcome
    ) -> None:
        todo, running, tries = list(waiting), dict[str, _Running](), Counter[str]()
        try:
            while (todo or running) and not self._stopping:
                while todo and engine.free and not outcome.full:
                    outcome.full = shortage(state_dir(), starting=True)
                    if outcome.full:
                        todo.clear()
                        break
                    one = todo.pop(0)
                    if started := self._start(one, controller, engine):
                        running[one.attempt.id] = started
                        tries[one.attempt.id] += 1
                for answer in engine.answers(0.5):
                    ended = running.pop(answer.key)
                    result = self._finish(ended, answer)
                    if not isinstance(result, Lost) or result.exclusion in FINAL_EXCLUSIONS:
                        outcome.ran += 1
                    elif tries[answer.key] < TRIES_PER_RUN and not self._stopping:
                        todo.insert(0, ended.assigned)
                        continue
                    else:
                        outcome.lost[result.exclusion] += 1
                    ran = outcome.held + outcome.ran + sum(outcome.lost.values())
                    self._on_end(ended.assigned, result, ran, outcome.total)
        finally:
            outcome.interrupted = self._stopping
            if running:  # the workers end first, so that nothing writes any more
                engine.stop()
                for left in running.values():
                    with contextlib.suppress(StoreConflict):
                        exclude_lost_try(
                            self._store, left.try_id, left.trajectory, "interrupted", "stopped by the user"
                        )

    def _start(self, one: Assigned, controller: Controller, engine: LocalEngine) -> _Running | None:
        """Records the try, then hands it out; None when another controller has it."""
        path = trajectory_file(f"{secrets.token_hex(8)}.jsonl")
        environment = {
            **host_environment(), "trajectory_file": path.name, "source": one.record.source,
            "source_digest": one.record.digest,
        }  # fmt: skip
        try:
            try_id = self._store.start_try(one.attempt.id, controller, environment)
        except StoreConflict:
            return None
        job = Job(self._rules, one.attempt, self._digests[one.attempt.task], one.record, path)
        engine.submit(one.attempt.id, ("reverify", job))
        return _Running(one, try_id, path)

    def _finish(self, done: _Running, answer: Answer) -> TryResult | Lost:
        """Writes what came back."""
        if answer.failure is not None:
            lost = Lost(answer.failure.reason, answer.failure.detail, 0, 0.0, None, {}, ())
            exclude_lost_try(self._store, done.try_id, done.trajectory, lost.exclusion, lost.detail)
            return lost
        trajectory = keep_trajectory(done.trajectory, self._blobs)
        result: TryResult | Lost = answer.result
        if isinstance(result, Lost):
            self._store.exclude_try(
                done.try_id, result.exclusion, calls=result.calls, wall_s=result.wall_s, cost_usd=result.cost_usd,
                trajectory=trajectory, outcome=result.outcome, done=result.actions,
            )  # fmt: skip
        else:
            result = replace(result, trajectory=trajectory)
            self._store.finish_try(done.try_id, result)
        done.trajectory.unlink(missing_ok=True)
        return result
