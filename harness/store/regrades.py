"""Regrades: recorded states judged again with another verifier, beside what was recorded at first."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from sqlalchemy import Connection, insert, select

from harness.errors import InputError
from harness.store import facts
from harness.store.clock import utc_now
from harness.store.events import EventRow, event_rows
from harness.store.reads import attempts_by_id
from harness.store.records import Attempt
from harness.store.tables import actions, attempts, regrade_events, regrade_verdicts, regrades, tries


@dataclass(frozen=True)
class RegradedEvent:
    """An event of a try, be it the recorded or the regraded one."""

    event: str
    call: int
    action: int | None
    reason: str | None
    unpassed_at: int | None = None
    repassed_at: int | None = None


@dataclass(frozen=True)
class RecordedStep:
    """One action of a try: the state it left, and what the verifier said then."""

    call: int
    action: int
    layer_digest: str | None
    verdict_key: str | None
    verdict_state: str | None


@dataclass(frozen=True)
class RecordedTry:
    """A try that counts, as far as regrading needs it."""

    id: int
    number: int
    attempt: Attempt
    event: RegradedEvent
    calls: int
    cost_usd: float | None
    trajectory: str | None
    base: str | None
    verifier: str | None
    steps: tuple[RecordedStep, ...]


@dataclass(frozen=True)
class Regraded:
    """What came of one try: its event, or one word that says why there is none; and the verdict after each action."""

    try_id: int
    event: RegradedEvent | None
    problem: str | None
    verdicts: tuple[tuple[int, int, str, str], ...] = ()
    """(call, action, verdict key, verdict state)"""


@dataclass(frozen=True)
class Regrade:
    """One regrade on record."""

    id: int
    stage: str
    digest: str
    scope: Any
    """``{"tasks": [...] | null, "runtimes": [...] | null}``: what it was restricted to."""
    verifiers: Any
    """By task: the verifier's digest, those on record before, the task's digest, whether it was qualified."""
    environment: Any
    at: str


def put(
    connection: Connection, stage: str, digest: str, scope: Any, verifiers: Any, environment: Mapping[str, Any],
    results: Sequence[Regraded],
) -> Regrade:  # fmt: skip
    """Adds a regrade and its ledger record. ``connection`` is in a ``writing`` transaction."""
    row = {
        "stage": stage, "digest": digest, "scope": scope, "verifiers": verifiers, "environment": environment,
        "at": utc_now(),
    }  # fmt: skip
    key = connection.execute(insert(regrades).values(row)).inserted_primary_key
    assert key is not None
    events = [
        {"regrade_id": key[0], "try_id": one.try_id, "problem": one.problem, **_columns(one.event)} for one in results
    ]
    verdicts = [
        {
            "regrade_id": key[0], "try_id": one.try_id, "call": call, "action": action, "verdict_key": state,
            "verdict_state": verdict,
        }
        for one in results
        for call, action, state, verdict in one.verdicts
    ]  # fmt: skip
    for table, rows in ((regrade_events, events), (regrade_verdicts, verdicts)):
        if rows:
            connection.execute(insert(table), rows)
    stored = connection.execute(select(regrades).where(regrades.c.id == key[0])).one()
    facts.record(connection, "regraded", [stored])
    return Regrade(**stored._mapping)


def _columns(event: RegradedEvent | None) -> dict[str, Any]:
    names = RegradedEvent.__dataclass_fields__
    return dict.fromkeys(names) if event is None else dict(vars(event))


def recorded_tries(
    connection: Connection, stage: str, tasks: Sequence[str] | None, runtimes: Sequence[str] | None
) -> Iterator[RecordedTry]:
    """The tries that count, with the states that each left, by task, runtime, arm, repeat."""
    a = attempts.c
    query = select(tries).join_from(tries, attempts).where(a.stage == stage, tries.c.valid)
    if tasks is not None:
        query = query.where(a.task.in_(tasks))
    if runtimes is not None:
        query = query.where(a.runtime.in_(runtimes))
    planned = attempts_by_id(connection, stage)
    for row in connection.execute(query.order_by(a.task, a.runtime, a.arm, a.repeat)).all():
        t = actions.c
        done = (
            select(t.call, t.action, t.layer_digest, t.verdict_key, t.verdict_state)
            .where(t.try_id == row.id)
            .order_by(t.call, t.action)
        )
        event = RegradedEvent(row.event, row.call, row.action, row.reason, row.unpassed_at, row.repassed_at)
        outcome = row.outcome or {}
        yield RecordedTry(
            row.id, row.number, planned[row.attempt_id], event, row.calls, row.cost_usd, row.trajectory,
            outcome.get("base"),
            outcome.get("verifier"), tuple(RecordedStep(*tuple(step)) for step in connection.execute(done)),
        )  # fmt: skip


def find(connection: Connection, stage: str, which: str) -> Regrade:
    """The regrade of ``stage`` with that number, or its latest.

    Raises:
        InputError: there is none.
    """
    query = select(regrades).where(regrades.c.stage == stage).order_by(regrades.c.id.desc())
    found = [Regrade(**row._mapping) for row in connection.execute(query)]
    chosen = found[:1] if which == "latest" else [one for one in found if str(one.id) == which]
    if not chosen:
        there = ", ".join(str(one.id) for one in reversed(found))
        raise InputError(
            f"stage {stage} has no regrade {which!r}", file="--regrade",
            mend=f"latest, or one of: {there}" if there else f"restartlab regrade {stage}",
        )  # fmt: skip
    return chosen[0]


def regraded_rows(connection: Connection, regrade: Regrade) -> Iterator[EventRow]:
    """The stage's event rows with the regraded events; rows that the regrade does not cover are left out.

    Digest, origin, calls, cost and time are those of the recorded try. A try that could not be regraded is excluded,
    at its last call, for the regrade's reason; tries that were excluded at first stay as they are.
    """
    e, t, a = regrade_events.c, tries.c, attempts.c
    query = select(regrade_events, a.task, a.runtime, a.arm, a.repeat, t.number).select_from(
        regrade_events.join(tries, e.try_id == t.id).join(attempts, t.attempt_id == a.id)
    )
    covered = {
        (row.task, row.runtime, row.arm, row.repeat, row.number): row
        for row in connection.execute(query.where(e.regrade_id == regrade.id))
    }
    within = {key[:4] for key in covered}
    for row in event_rows(connection, regrade.stage):
        place = (row.task, row.runtime, row.arm, row.repeat)
        new = covered.get((*place, row.try_))
        if new is None:
            if not row.valid and place in within:
                yield row
        elif new.problem is not None:
            yield replace(
                row, event="censored", call=row.calls, action=None, reason=new.problem, unpassed_at=None,
                repassed_at=None, valid=False, exclusion=new.problem,
            )  # fmt: skip
        else:
            yield replace(
                row, event=new.event, call=new.call, action=new.action, reason=new.reason, unpassed_at=new.unpassed_at,
                repassed_at=new.repassed_at,
            )  # fmt: skip
