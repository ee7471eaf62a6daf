"""The store of one collection. The controller is its only writer; every method that writes is one transaction."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from types import TracebackType
from typing import Any, Self

from sqlalchemy import Connection, Engine, Table, insert, select, update

from harness.errors import InputError
from harness.store import (
    checkpoints,
    events,
    facts,
    imports,
    leases,
    ledger,
    reads,
    regrades,
    reuse,
    reviews,
    thresholds,
)
from harness.store.clock import utc_now
from harness.store.controller import Controller, RunningTry
from harness.store.database import open_engine
from harness.store.records import (
    ActionRecord,
    Attempt,
    AttemptState,
    AttemptView,
    CellCount,
    Qualification,
    StageConflict,
    StageRecord,
    StoreConflict,
    TryResult,
    is_word,
)
from harness.store.tables import actions, attempts, audits, chosen_sets, qualifications, stages, tries
from harness.store.transactions import reading, writing


class Store:
    """Facts of collection in a database; safe to share between threads, not across a fork."""

    def __init__(self, engine: Engine):
        self._engine = engine

    @classmethod
    def open(cls, where: str | Path, *, create: bool = True) -> Self:
        """Opens (and by default creates) the database at a path or URL; errors as ``database.open_engine``."""
        return cls(open_engine(where, create=create))

    def close(self) -> None:
        """Gives the connections back."""
        self._engine.dispose()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, tb: TracebackType | None) -> None:
        self.close()

    # Writing

    def register_stage(self, stage: str, digest: str, protocol: Any) -> None:
        """Records a stage and its protocol (JSON); again is no change.

        Raises:
            StageConflict: the database holds attempts of the stage under another digest.
        """
        with writing(self._engine) as connection:
            _refuse_other_digest(connection, stage, digest)
            row = {"stage": stage, "digest": digest, "protocol": protocol, "first_at": utc_now()}
            _insert_missing(connection, "stage_registered", stages, [row])

    def choose_set(self, stage: str, digest: str, name: str) -> None:
        """Records that a runtime set (or a single runtime) of a registered stage was asked for; again is no change."""
        with writing(self._engine) as connection:
            row = {"stage": stage, "digest": digest, "name": name, "at": utc_now()}
            _insert_missing(connection, "set_chosen", chosen_sets, [row])

    def plan(self, planned: Iterable[Attempt]) -> int:
        """Inserts the attempts that are missing; how many.

        Raises:
            StageConflict: the database holds attempts of one of the stages under another digest.
        """
        rows = [vars(attempt) for attempt in planned]
        with writing(self._engine) as connection:
            for stage, digest in dict.fromkeys((row["stage"], row["digest"]) for row in rows):
                _refuse_other_digest(connection, stage, digest)
            at = utc_now()
            return _insert_missing(connection, "attempts_planned", attempts, [row | {"planned_at": at} for row in rows])

    def renew_lease(self, controller: Controller) -> None:
        """Says that ``controller`` is alive, for ``leases.LEASE_SECONDS``."""
        with writing(self._engine) as connection:
            leases.renew(connection, controller.id)

    def expired_leases(self, controllers: Iterable[Controller]) -> set[str]:
        """Ids of those of ``controllers`` whose lease holds no more."""
        with reading(self._engine) as connection:
            return leases.expired(connection, (one.id for one in controllers))

    def start_try(self, attempt_id: str, controller: Controller, environment: Mapping[str, Any]) -> int:
        """Begins the next try of an attempt.

        Args:
            environment: what the try runs in: git revision, package versions, kernel, base digest ...

        Returns:
            the try's id.

        Raises:
            StoreConflict: unknown attempt, or it has a valid or a running try.
        """
        with writing(self._engine) as connection:
            if connection.execute(select(attempts.c.id).where(attempts.c.id == attempt_id)).first() is None:
                raise StoreConflict(f"attempt {attempt_id} is not planned")
            earlier = connection.execute(select(tries).where(tries.c.attempt_id == attempt_id)).all()
            for had in earlier:
                if had.state == "running" or had.valid:
                    what = "is running" if had.state == "running" else f"ended validly ({had.event} at call {had.call})"
                    raise StoreConflict(f"attempt {attempt_id}: try {had.number} {what}; no other try may start")
            row = {
                "attempt_id": attempt_id,
                "number": max((had.number for had in earlier), default=0) + 1,
                "state": "running",
                "controller": controller.id,
                "pid": controller.pid,
                "host": controller.host,
                "boot": controller.boot,
                "pid_namespace": controller.pid_namespace,
                "process_started": controller.started,
                "environment": environment,
                "started_at": utc_now(),
            }
            key = connection.execute(insert(tries).values(row)).inserted_primary_key
            assert key is not None
            _record_try(connection, "try_started", key[0])
            return int(key[0])

    def finish_try(self, try_id: int, result: TryResult) -> None:
        """Ends a running try with an outcome that counts.

        Raises:
            StoreConflict: the try is unknown or has ended already; nothing changes.
        """
        self._end(try_id, result, "try_finished", {"valid": True, "exclusion": None})

    def exclude_try(
        self,
        try_id: int,
        exclusion: str,
        *,
        calls: int = 0,
        wall_s: float | None = None,
        cost_usd: float | None = None,
        action: int | None = None,
        trajectory: str | None = None,
        outcome: Mapping[str, Any] | None = None,
        done: tuple[ActionRecord, ...] = (),
    ) -> None:
        """Ends a running try that infrastructure lost: kept, censored at its last finished call, not counted.

        Args:
            exclusion: one word: interrupted, killed, worker_lost, provider_outage, verifier_failure ...
            calls: calls finished before the loss; the event's call.
            done: the actions known to have finished.

        Raises:
            StoreConflict: the try is unknown or has ended already; nothing changes.
        """
        if not is_word(exclusion):
            raise ValueError(f"exclusion is {exclusion!r}; wanted: one word")
        result = TryResult(
            "censored",
            call=calls,
            calls=calls,
            wall_s=wall_s,
            action=action,
            reason=exclusion,
            cost_usd=cost_usd,
            trajectory=trajectory,
            outcome=outcome or {},
            actions=done,
        )
        self._end(try_id, result, "try_excluded", {"valid": False, "exclusion": exclusion})

    def import_events(
        self, digests: Mapping[str, str], rows: Iterable[tuple[str, events.EventRow]], sources: Sequence[str]
    ) -> tuple[int, int]:
        """Takes in rows of event tables, streamed; how many attempts and tries. All or nothing.

        Args:
            digests: digest of each stage in the rows; empty if it is not known.
            rows: attempt id and row, in the order of an export.
            sources: names of the files, for the ledger.

        Raises:
            StageConflict: the database holds attempts of a stage under another digest.
            AlreadyHeld: the database holds an attempt of the rows.
        """
        with writing(self._engine) as connection:
            for stage, digest in digests.items():
                _refuse_other_digest(connection, stage, digest)
                _refuse_other_name(connection, stage, digest)
                row = {"stage": stage, "digest": digest, "protocol": {"stage": stage, "kind": "imported"}}
                _insert_missing(connection, "stage_registered", stages, [row | {"first_at": utc_now()}])
            begun = select(attempts.c.stage).where(attempts.c.stage.in_(digests)).distinct()
            return imports.insert_batch(connection, rows, sources, set(connection.execute(begun).scalars()))

    def put_qualification(
        self, task: str, task_digest: str, python: str, base_digest: str, sandbox: str, qualified: bool, record: Any
    ) -> None:
        """Records the result of a gate; an earlier record under the same key stays, the newest is in force."""
        with writing(self._engine) as connection:
            row = {
                "task": task,
                "task_digest": task_digest,
                "python": python,
                "base_digest": base_digest,
                "sandbox": sandbox,
                "qualified": qualified,
                "record": record,
                "at": utc_now(),
            }
            key = connection.execute(insert(qualifications).values(row)).inserted_primary_key
            assert key is not None
            stored = select(qualifications).where(qualifications.c.id == key[0])
            facts.record(connection, "qualification", [connection.execute(stored).one()])

    def put_regrade(
        self, stage: str, digest: str, scope: Any, verifiers: Any, environment: Mapping[str, Any],
        results: Sequence[regrades.Regraded],
    ) -> regrades.Regrade:  # fmt: skip
        """Records a regrade beside what it regraded; see ``regrades``."""
        with writing(self._engine) as connection:
            return regrades.put(connection, stage, digest, scope, verifiers, environment, results)

    def put_checkpoints(self, stage: str, digest: str, chosen: checkpoints.CheckpointSet) -> None:
        """Records the checkpoints of one runtime of a registered stage, once; raises ``StoreConflict``."""
        with writing(self._engine) as connection:
            checkpoints.put(connection, stage, digest, chosen)

    def freeze_thresholds(
        self, stage: str, digest: str, runtime: str, record: Mapping[str, Any], held_out: Sequence[str]
    ) -> None:
        """Records the calibrated thresholds of a runtime, once and before any held-out try; see ``thresholds``."""
        with writing(self._engine) as connection:
            thresholds.freeze(connection, stage, digest, runtime, record, held_out)

    def put_reuse(self, kind: reuse.Kind, key: Mapping[str, str], record: Mapping[str, Any]) -> None:
        """Records what was made of failed branches, once a key; see ``reuse``. Raises ``StoreConflict``."""
        with writing(self._engine) as connection:
            reuse.put(connection, kind, key, record)

    def correct(self, scope: Mapping[str, Any], field: str, old: Any, new: Any, why: str) -> None:
        """Records a correction in the ledger: which rows (``scope``), which field, both values, why. No row changes."""
        payload = {"scope": dict(scope), "field": field, "old": old, "new": new, "why": why}
        with writing(self._engine) as connection:
            ledger.append(connection, "correction", payload)

    def put_review(self, review: reviews.Review) -> reviews.Review:
        """Records what a reviewer says of a task."""
        with writing(self._engine) as connection:
            return reviews.put(connection, review)

    def reviews(self, task: str | None = None) -> list[reviews.Review]:
        """What reviewers said, oldest first."""
        with reading(self._engine) as connection:
            return reviews.found(connection, task)

    def _end(self, try_id: int, result: TryResult, kind: str, verdict: dict[str, Any]) -> None:
        columns = {item.name for item in dataclasses.fields(TryResult)} & set(tries.c.keys())
        values = {name: getattr(result, name) for name in columns}
        ended = values | verdict | {"state": "finished", "ended_at": utc_now()}
        with writing(self._engine) as connection:
            attempt = connection.execute(
                select(attempts.c.id, attempts.c.horizon, tries.c.number, tries.c.state)
                .join_from(tries, attempts)
                .where(tries.c.id == try_id)
            ).first()
            if attempt is None:
                raise StoreConflict(f"there is no try {try_id}")
            if attempt.state != "running":
                raise StoreConflict(f"try {attempt.number} of attempt {attempt.id} has ended already")
            if result.calls > attempt.horizon:
                raise ValueError(f"calls is {result.calls}; wanted: at most the horizon, {attempt.horizon}")
            connection.execute(update(tries).where(tries.c.id == try_id, tries.c.state == "running").values(ended))
            if result.actions:
                connection.execute(insert(actions), [vars(action) | {"try_id": try_id} for action in result.actions])
            if result.findings:
                connection.execute(insert(audits), [{"try_id": try_id, "finding": item} for item in result.findings])
            _record_try(connection, kind, try_id)

    # Reading

    def stage(self, stage: str) -> StageRecord | None:
        """The stage as registered: under the digest that has attempts, else the newest."""
        with reading(self._engine) as connection:
            return reads.stage(connection, stage)

    def chosen_sets(self, stage: str, digest: str) -> list[str]:
        """Names of the sets chosen so far, in order of choice."""
        with reading(self._engine) as connection:
            return reads.chosen_sets(connection, stage, digest)

    def attempts_to_run(
        self, stage: str, *, runtimes: Sequence[str] | None = None, tasks: Sequence[str] | None = None
    ) -> list[AttemptState]:
        """Attempts without a valid try, by repeat, task, runtime, arm; of all runtimes and tasks unless named."""
        with reading(self._engine) as connection:
            return reads.attempts_to_run(connection, stage, runtimes, tasks)

    def attempts(self, stage: str) -> list[Attempt]:
        """All planned attempts of a stage, by task, runtime, arm, repeat."""
        with reading(self._engine) as connection:
            return reads.attempts_of(connection, stage)

    def ended_tries(self, stage: str) -> list[tuple[Attempt, dict[str, Any]]]:
        """The tries of a stage that have ended, each with its attempt, by attempt and number."""
        with reading(self._engine) as connection:
            return reads.ended_tries(connection, stage)

    def running_tries(self, stage: str | None = None) -> list[RunningTry]:
        """Tries that have not ended; those whose controller is dead are to be excluded."""
        with reading(self._engine) as connection:
            return reads.running_tries(connection, stage)

    def session(self, stage: str, controllers: Iterable[str]) -> tuple[str | None, int]:
        """When these controllers started their first try of the stage, and how many attempts they finished since."""
        with reading(self._engine) as connection:
            return reads.session(connection, stage, controllers)

    def ended_among(self, trajectory_files: Iterable[str]) -> set[str]:
        """Those of the trajectory files (names) whose try has ended."""
        with reading(self._engine) as connection:
            return reads.ended_among(connection, trajectory_files)

    def counts(self, stage: str) -> list[CellCount]:
        """Counts by runtime, task and arm, sorted."""
        with reading(self._engine) as connection:
            return reads.counts(connection, stage)

    def attempt(self, prefix: str) -> AttemptView:
        """The attempt whose id begins with ``prefix``, with its tries.

        Raises:
            InputError: no or several attempts match.
        """
        with reading(self._engine) as connection:
            return reads.attempt(connection, prefix)

    def qualification(
        self, task: str, task_digest: str, python: str, base_digest: str, sandbox: str
    ) -> Qualification | None:
        """The newest gate record under this key."""
        with reading(self._engine) as connection:
            return reads.qualification(connection, task, task_digest, python, base_digest, sandbox)

    def recorded_tries(
        self, stage: str, tasks: Sequence[str] | None = None, runtimes: Sequence[str] | None = None
    ) -> list[regrades.RecordedTry]:
        """The tries that count, with the states that they left; of all tasks and runtimes unless named."""
        with reading(self._engine) as connection:
            return list(regrades.recorded_tries(connection, stage, tasks, runtimes))

    def checkpoints(self, stage: str, digest: str, runtime: str) -> checkpoints.CheckpointSet | None:
        """The checkpoints of one runtime of a stage; None when they are not frozen."""
        with reading(self._engine) as connection:
            return checkpoints.find(connection, stage, digest, runtime)

    def checkpoint_runtimes(self, stage: str, digest: str) -> Sequence[str]:
        """Runtimes of a stage whose checkpoints are frozen."""
        with reading(self._engine) as connection:
            return checkpoints.runtimes_of(connection, stage, digest)

    def thresholds(self, stage: str, digest: str, runtime: str) -> dict[str, Any] | None:
        """The frozen thresholds of a runtime of a monitor stage; None: it is not calibrated yet."""
        with reading(self._engine) as connection:
            return thresholds.find(connection, stage, digest, runtime)

    def reuse(self, kind: reuse.Kind, **key: str) -> list[dict[str, Any]]:
        """What was made of failed branches, of the keys with these values, oldest first."""
        with reading(self._engine) as connection:
            return reuse.find(connection, kind, key)

    def regrade(self, stage: str, which: str) -> regrades.Regrade:
        """The regrade of that number, or the ``latest``; raises ``InputError``."""
        with reading(self._engine) as connection:
            return regrades.find(connection, stage, which)

    def regraded_rows(self, regrade: regrades.Regrade) -> list[events.EventRow]:
        """Rows of the event table with the regraded events, of what the regrade covers."""
        with reading(self._engine) as connection:
            return list(regrades.regraded_rows(connection, regrade))

    def event_rows(self, stage: str | None = None) -> Iterator[events.EventRow]:
        """Rows of the event table, streamed in the order of its key; of all stages unless one is named."""
        with reading(self._engine) as connection:
            yield from events.event_rows(connection, stage)

    def verify_ledger(self) -> tuple[ledger.ChainReport, facts.FactFault | None]:
        """The state of the hash chain, and the first row that is not as the ledger recorded it (if the chain holds)."""
        with reading(self._engine) as connection:
            report = ledger.verify(connection)
            return report, None if report.fault else facts.reconcile(connection)


def _refuse_other_digest(connection: Connection, stage: str, digest: str) -> None:
    other = select(attempts.c.digest).where(attempts.c.stage == stage, attempts.c.digest != digest).limit(1)
    recorded = connection.execute(other).scalar()
    if recorded is not None:
        held = reads.stage(connection, stage)
        raise StageConflict(stage, recorded=recorded, given=digest, recorded_protocol=held.protocol if held else None)


def _refuse_other_name(connection: Connection, stage: str, digest: str) -> None:
    """A digest names one stage: attempts are told apart by it, whatever the stage is called."""
    other = select(attempts.c.stage).where(attempts.c.digest == digest, attempts.c.stage != stage).limit(1)
    name = connection.execute(other).scalar() if digest else None
    if name is not None:
        raise InputError(
            f"digest {digest} of stage {stage} is that of stage {name} already", key="digest",
            mend=f"call the stage {name}, or leave the digest out",
        )  # fmt: skip


def _insert_missing(connection: Connection, kind: str, table: Table, rows: list[dict[str, Any]]) -> int:
    """Inserts the rows whose primary key is not there, and their ledger record if there are any."""
    names = [column.name for column in table.primary_key.columns]
    added = []
    for row in rows:
        same = select(table).where(*(table.c[name] == row[name] for name in names))
        if connection.execute(same).first() is None:
            connection.execute(insert(table).values(row))
            added.append(connection.execute(same).one())
    if added:
        facts.record(connection, kind, added)
    return len(added)


def _record_try(connection: Connection, kind: str, try_id: int) -> None:
    facts.record(connection, kind, [connection.execute(select(tries).where(tries.c.id == try_id)).one()])
