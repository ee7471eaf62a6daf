"""``collect``: runs what a frozen stage still lacks, and stops in a state that the same command resumes from."""

from __future__ import annotations

import contextlib
import secrets
from collections import Counter
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, cast

from sqlalchemy.exc import OperationalError, StatementError

from harness.attempt import Lost, Unit
from harness.checkpoints.episode import Episode
from harness.collection.beginning import local_model, refuse_one_machine_things, register
from harness.collection.ceiling import Ceiling, require_prices, stage_ceiling, unpriced
from harness.collection.gating import gate_missing
from harness.collection.heartbeat import Heartbeat
from harness.collection.recovery import (
    exclude_lost_try,
    keep_trajectory,
    recorded_progress,
    recover_dead_tries,
    sweep_trajectories,
    trajectory_file,
)
from harness.collection.steady import SteadyView
from harness.collection.terms import Options, Summary, View
from harness.disk import shortage
from harness.doctor import PYTHONS, require_sandbox
from harness.engines.factory import make_engine
from harness.engines.interface import Engine
from harness.engines.local import Answer
from harness.environment import host_environment
from harness.errors import InputError
from harness.monitors.arming import armed
from harness.monitors.phases import phases
from harness.paths import state_dir
from harness.plan import expand
from harness.protocol.freeze import FrozenStage, require_frozen
from harness.protocol.runtime import require_credentials, resolve_runtimes
from harness.protocol.schema import Protocol as ProtocolModel
from harness.recovery.hypotheses import Told, hypotheses_of, telling
from harness.slots import SlotKinds, make_slots
from harness.store.blobs import Blobs
from harness.store.controller import Controller
from harness.store.records import Attempt, StoreConflict, TryResult
from harness.store.store import Store
from harness.temporary import sweep_temporary
from harness.workspace.workspace import sweep_work

#: Tries of one attempt in one run, when its worker or sandbox is lost.
TRIES_PER_RUN = 3
#: Excluded tries after which an attempt is left alone until ``--redo-excluded``; interrupted ones do not count.
TRIES_IN_ALL = 10
#: Losses that another try at once may mend; a provider that failed after all its retries is left to a later run.
_RETRIED = ("worker_lost", "worker_hung", "sandbox_lost", "verifier_failure")


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
        self._options, self._view = options, cast(View, SteadyView(view))
        self._stopping = False
        self._blobs = Blobs(state_dir() / "blobs")
        self._slots = SlotKinds()
        self._episodes: dict[str, Episode] = {}
        self._told: Told = {}

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
        require_prices(stage.protocol, runtimes, options.max_cost)
        for task in options.tasks:
            if task not in stage.protocol.tasks:
                raise InputError(
                    f"{task!r} is not a task of {options.stage}", file="--task", mend=f"tasks: {', '.join(stage.tasks)}"
                )
        refuse_one_machine_things(stage, runtimes, options)
        if stage.protocol.planning:
            from harness.planning.checkpoints import require_failed_answers

            require_failed_answers(stage.protocol, stage.tasks)
        try:
            require_sandbox(stage.protocol.sandbox.kind)
        except InputError:
            if not self._stopping:
                raise
            return Summary(options.stage, stage.digest, runtimes, interrupted=True)  # what it tried was interrupted too
        self._controller = Controller.current()
        try:
            return self._run(stage, runtimes)
        finally:
            self._sweep()

    def _run(self, stage: FrozenStage, runtimes: tuple[str, ...]) -> Summary:
        options = self._options
        with (
            Store.open(options.database) as store,
            Heartbeat(store, self._controller),
            local_model(stage, runtimes, options) as url,
            make_slots(options.model_calls, options.sandboxes) as self._slots,
            make_engine(
                options.engine, options.workers, options.address, PYTHONS, stage.protocol.sandbox.kind
            ) as engine,
        ):
            return self._collect(stage, runtimes, store, engine, url)

    def _collect(
        self, stage: FrozenStage, runtimes: tuple[str, ...], store: Store, engine: Engine, local_url: str | None
    ) -> Summary:
        options, view = self._options, self._view
        self._store, self._engine, self._stage, self._local_url = store, engine, stage, local_url
        summary = Summary(options.stage, stage.digest, runtimes)
        register(store, stage)
        store.choose_set(options.stage, stage.digest, options.runtime or stage.protocol.default_set)
        summary.recovered = recover_dead_tries(store, options.stage)
        sweep_trajectories(store)
        self._sweep()
        if stage.protocol.sandbox.kind == "docker":
            from harness.sandbox.docker.leftovers import leftovers

            for orphan in leftovers():
                orphan.remove()
        chosen = {name: task for name, task in stage.tasks.items() if not options.tasks or name in options.tasks}
        planned = self._plan(stage, runtimes)
        self._told = hypotheses_of(store, stage, runtimes, list(chosen))
        store.plan(planned)
        view.begin(stage, runtimes, store)
        if without := unpriced(stage.protocol, runtimes):
            view.warn(f"no price is known of {', '.join(without)}: the cost of these attempts stays empty")
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
            usd = stage_ceiling(stage.protocol, options.max_cost)
            ceiling = Ceiling(store, options.stage, runtimes, usd)
            for part in phases(waiting, stage, store, runtimes, view.warn, options.limit):
                self._run_all(part, summary, ceiling)
                if summary.interrupted or summary.spent:
                    break
        left = store.attempts_to_run(options.stage, runtimes=runtimes, tasks=list(chosen))
        summary.remaining = len(left)
        return summary

    def _plan(self, stage: FrozenStage, runtimes: tuple[str, ...]) -> list[Attempt]:
        """All attempts of the runtimes; of a checkpoint stage once its checkpoints are frozen."""
        if stage.protocol.checkpoint is None:
            return expand(stage.protocol, stage.digest, runtimes)
        from harness.checkpoints.episodes import episodes_of

        found = episodes_of(self._store, stage, runtimes)
        self._episodes = {attempt.id: episode for attempt, episode in found}
        return [attempt for attempt, _ in found]

    def _sweep(self) -> None:
        """Removes what killed workers left: workspaces, half-written files."""
        sweep_work()
        self._blobs.sweep()
        sweep_temporary(state_dir() / "verdicts")

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
            elif state.excluded - state.interrupted >= TRIES_IN_ALL and not self._options.redo_excluded:
                summary.left_alone += 1
            else:
                waiting.append(attempt)
        return waiting

    def _run_all(self, waiting: list[Attempt], summary: Summary, ceiling: Ceiling) -> None:
        """Keeps the workers busy until nothing waits, the stage has cost what it may, or the user stops."""
        running: dict[str, _Running] = {}
        tries: Counter[str] = Counter()
        try:
            while waiting or running:
                while waiting and self._engine.free:
                    summary.spent = ceiling.reached() or shortage(state_dir(), starting=True)
                    if summary.spent:
                        waiting.clear()
                        break
                    attempt = waiting.pop(0)
                    started = self._start(attempt)
                    if started:
                        running[attempt.id] = started
                        tries[attempt.id] += 1
                    else:
                        summary.elsewhere += 1
                for answer in self._engine.answers(0.5):
                    done = running.pop(answer.key)
                    lost = self._finish_once(done, answer)
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
                    with contextlib.suppress(StoreConflict):
                        exclude_lost_try(
                            self._store, left.try_id, left.trajectory, "interrupted", "stopped by the user"
                        )
                    summary.excluded["interrupted"] += 1

    def _start(self, attempt: Attempt) -> _Running | None:
        """Records the try, then hands it out; None when another controller was faster."""
        path = trajectory_file(f"{secrets.token_hex(8)}.jsonl")
        try:
            environment = {**host_environment(), "trajectory_file": path.name}
            try_id = self._store.start_try(attempt.id, self._controller, environment)
        except StoreConflict:
            return None
        digest = self._stage.tasks[attempt.task].digest
        unit = Unit(
            self._armed(attempt), attempt, digest, path, self._local_url, self._slots,
            self._episodes.get(attempt.id),
        )  # fmt: skip
        self._engine.submit(attempt.id, ("try", unit))
        self._view.started(attempt, path)
        return _Running(attempt, try_id, path)

    def _armed(self, attempt: Attempt) -> ProtocolModel:
        """The protocol as it is run: with the thresholds that were calibrated, of a monitor stage; with the failed
        patches that are told, of a resolver stage."""
        protocol = self._stage.protocol
        if protocol.hypotheses:
            return telling(protocol, self._told[attempt.runtime, attempt.task])
        if protocol.monitor is None:
            return protocol
        record = self._store.thresholds(protocol.stage, self._stage.digest, attempt.runtime)
        return armed(protocol, record["thresholds"] if record else None)

    def _finish_once(self, done: _Running, answer: Answer) -> str | None:
        """Like ``_finish``; a try that another controller took for dead, and ended, stays as that one wrote it."""
        try:
            return self._finish(done, answer)
        except StoreConflict:
            return "lease_lost"

    def _finish(self, done: _Running, answer: Answer) -> str | None:
        """Writes what came back; the exclusion if the try does not count."""
        if answer.failure is not None:
            lost = self._reason(answer.failure.reason)
            exclude_lost_try(self._store, done.try_id, done.trajectory, lost, answer.failure.detail)
            self._view.ended(done.attempt, Lost(lost, answer.failure.detail, 0, 0.0, None, {}, ()))
            return lost
        trajectory = keep_trajectory(done.trajectory, self._blobs)
        result: TryResult | Lost = answer.result
        try:
            if isinstance(result, Lost):
                result = replace(result, exclusion=self._reason(result.exclusion))
                self._exclude(done, result, trajectory)
            else:
                self._store.finish_try(done.try_id, replace(result, trajectory=trajectory))
        except (ValueError, TypeError, StatementError) as error:
            if isinstance(error, OperationalError):  # of the database, not of the result
                raise
            # One bad attempt does not end the batch.
            calls = min(recorded_progress(done.trajectory)["calls"], done.attempt.horizon)
            result = Lost("harness_failure", f"its result cannot be stored: {error}"[:2000], calls, 0.0, None, {}, ())
            self._exclude(done, result, trajectory)
        done.trajectory.unlink(missing_ok=True)
        self._view.ended(done.attempt, result)
        return result.exclusion if isinstance(result, Lost) else None

    def _reason(self, lost: str) -> str:
        """A loss while the user stops the collection is part of that: whoever signals may signal every process."""
        return "interrupted" if self._stopping and lost in _RETRIED else lost

    def _exclude(self, done: _Running, lost: Lost, trajectory: str | None) -> None:
        self._store.exclude_try(
            done.try_id, lost.exclusion, calls=lost.calls, wall_s=lost.wall_s, cost_usd=lost.cost_usd,
            trajectory=trajectory, outcome=lost.outcome or {"detail": lost.detail}, done=lost.actions,
        )  # fmt: skip
