"""The store's queries."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from typing import Any

from sqlalchemy import Connection, Row, String, and_, func, select

from harness.errors import InputError
from harness.store.controller import Controller, RunningTry
from harness.store.records import (
    ActionRecord,
    Attempt,
    AttemptState,
    AttemptView,
    CellCount,
    Qualification,
    StageRecord,
    TryView,
)
from harness.store.tables import actions, attempts, audits, qualifications, stages, tries
from harness.store.tables import chosen_sets as sets

_CELL = (attempts.c.runtime, attempts.c.task, attempts.c.arm)


def stage(connection: Connection, name: str) -> StageRecord | None:
    """The stage as registered: under the digest that has attempts, else the newest."""
    held = select(attempts.c.digest).where(attempts.c.stage == name).limit(1).scalar_subquery()
    newest = (stages.c.digest == held).desc(), stages.c.first_at.desc(), stages.c.digest
    row = connection.execute(select(stages).where(stages.c.stage == name).order_by(*newest).limit(1)).first()
    return StageRecord(**row._mapping) if row else None


def chosen_sets(connection: Connection, stage: str, digest: str) -> list[str]:
    """Names of the sets chosen so far, in order of choice."""
    query = select(sets.c.name).where(sets.c.stage == stage, sets.c.digest == digest).order_by(sets.c.at, sets.c.name)
    return list(connection.execute(query).scalars())


def attempts_to_run(
    connection: Connection, stage: str, runtimes: Sequence[str] | None, tasks: Sequence[str] | None
) -> list[AttemptState]:
    """Attempts without a valid try, repeat by repeat, so that an early stop leaves the tasks balanced."""
    valid = select(tries.c.id).where(tries.c.attempt_id == attempts.c.id, tries.c.valid)
    query = select(attempts).where(attempts.c.stage == stage, ~valid.exists())
    if runtimes is not None:
        query = query.where(attempts.c.runtime.in_(runtimes))
    if tasks is not None:
        query = query.where(attempts.c.task.in_(tasks))
    order = attempts.c.repeat, attempts.c.task, attempts.c.runtime, attempts.c.arm
    wanted = [_attempt(row) for row in connection.execute(query.order_by(*order))]
    had: dict[str, list[Row[*tuple[Any, ...]]]] = {}
    earlier = select(tries.c.attempt_id, tries.c.state, tries.c.exclusion).join_from(tries, attempts)
    for row in connection.execute(earlier.where(attempts.c.stage == stage).order_by(tries.c.number)):
        had.setdefault(row.attempt_id, []).append(row)
    states = []
    for attempt in wanted:
        rows = had.get(attempt.id, [])
        lost = [row.exclusion for row in rows if row.state == "finished"]
        running = any(row.state == "running" for row in rows)
        last = lost[-1] if lost else None
        states.append(AttemptState(attempt, len(lost), last, running, lost.count("interrupted")))
    return states


def attempts_of(connection: Connection, stage: str) -> list[Attempt]:
    """All planned attempts of a stage, by task, runtime, arm, repeat."""
    a = attempts.c
    query = select(attempts).where(a.stage == stage).order_by(a.task, a.runtime, a.arm, a.repeat)
    return [_attempt(row) for row in connection.execute(query)]


def attempts_by_id(connection: Connection, stage: str) -> dict[str, Attempt]:
    """All planned attempts of a stage, by id."""
    return {attempt.id: attempt for attempt in attempts_of(connection, stage)}


def ended_among(connection: Connection, trajectory_files: Iterable[str]) -> set[str]:
    """Those of the trajectory files (names) whose try has ended."""
    found = set()
    for name in trajectory_files:  # the few that a killed controller left
        named = tries.c.environment.cast(String).contains(name, autoescape=True)
        if connection.execute(select(tries.c.id).where(tries.c.state == "finished", named).limit(1)).first():
            found.add(name)
    return found


def ended_tries(connection: Connection, stage: str) -> list[tuple[Attempt, dict[str, Any]]]:
    """The tries of a stage that have ended, each with its attempt, by attempt and number."""
    a = attempts.c
    query = select(attempts, tries).join_from(tries, attempts).where(a.stage == stage, tries.c.state == "finished")
    found = []
    for row in connection.execute(query.order_by(a.task, a.runtime, a.arm, a.repeat, tries.c.number)):
        facts = {column.name: row._mapping[column] for column in tries.c}
        owner = {column.name: row._mapping[column] for column in attempts.c if column.name != "planned_at"}
        found.append((Attempt(**owner), facts))
    return found


def running_tries(connection: Connection, stage: str | None) -> list[RunningTry]:
    """Tries that have not ended."""
    query = select(tries, attempts.c.task, attempts.c.runtime).join_from(tries, attempts)
    query = query.where(tries.c.state == "running").order_by(tries.c.id)
    if stage is not None:
        query = query.where(attempts.c.stage == stage)
    return [
        RunningTry(
            try_id=row.id,
            attempt_id=row.attempt_id,
            number=row.number,
            task=row.task,
            runtime=row.runtime,
            started_at=row.started_at,
            controller=Controller(row.controller, row.pid, row.host, row.boot, row.pid_namespace, row.process_started),
        )
        for row in connection.execute(query)
    ]


def session(connection: Connection, stage: str, controllers: Iterable[str]) -> tuple[str | None, int]:
    """When these controllers started their first try of the stage, and how many attempts they have finished since."""
    query = select(func.min(tries.c.started_at), func.count().filter(tries.c.valid)).join_from(tries, attempts)
    row = connection.execute(query.where(attempts.c.stage == stage, tries.c.controller.in_(list(controllers)))).one()
    return row[0], row[1]


def counts(connection: Connection, stage: str) -> list[CellCount]:
    """Counts by runtime, task and arm."""
    here = attempts.c.stage == stage
    planned = connection.execute(select(*_CELL, func.count()).where(here).group_by(*_CELL).order_by(*_CELL)).all()
    what = (
        func.count().filter(tries.c.state == "running"),
        *(
            func.count().filter(and_(tries.c.valid, tries.c.event == name))
            for name in ("verified", "terminal", "censored")
        ),
        func.count().filter(and_(tries.c.state == "finished", ~tries.c.valid)),
        func.sum(tries.c.cost_usd),
        func.count().filter(and_(tries.c.state == "finished", tries.c.cost_usd.is_(None))),
    )
    query = select(*_CELL, *what).join_from(tries, attempts).where(here).group_by(*_CELL)
    had = {tuple(row[:3]): tuple(row[3:]) for row in connection.execute(query)}
    nothing = (0, 0, 0, 0, 0, None, 0)
    return [CellCount(*tuple(row), *had.get(tuple(row[:3]), nothing)) for row in planned]


def attempt(connection: Connection, prefix: str) -> AttemptView:
    """The attempt whose id begins with ``prefix``; InputError when it is none or not the only one."""
    prefix = prefix.lower()
    if not re.fullmatch(r"[0-9a-f]{1,64}", prefix):
        raise InputError(
            f"{prefix!r} is not the beginning of an attempt id", file="ATTEMPT", mend="give its hex digits"
        )
    rows = connection.execute(
        select(attempts).where(attempts.c.id.startswith(prefix)).order_by(attempts.c.id).limit(5)
    ).all()
    if not rows:
        raise InputError(f"no attempt begins with {prefix}", file="ATTEMPT", mend="see the ids that collect prints")
    if len(rows) > 1:
        some = ", ".join(f"{row.id[:12]} ({row.task} {row.runtime} {row.arm} {row.repeat})" for row in rows)
        raise InputError(f"several attempts begin with {prefix}: {some}", file="ATTEMPT", mend="give more digits")
    mine = select(tries).where(tries.c.attempt_id == rows[0].id).order_by(tries.c.number)
    views = []
    for row in connection.execute(mine).all():
        done = select(actions).where(actions.c.try_id == row.id).order_by(actions.c.call, actions.c.action)
        found = select(audits.c.finding).where(audits.c.try_id == row.id).order_by(audits.c.id)
        views.append(
            TryView(
                facts=dict(row._mapping),
                actions=tuple(_action(item) for item in connection.execute(done)),
                findings=tuple(connection.execute(found).scalars()),
            )
        )
    return AttemptView(_attempt(rows[0]), tuple(views))


def qualification(
    connection: Connection, task: str, task_digest: str, python: str, base_digest: str, sandbox: str
) -> Qualification | None:
    """The newest gate record under this key."""
    table = qualifications.c
    query = select(qualifications).where(
        table.task == task,
        table.task_digest == task_digest,
        table.python == python,
        table.base_digest == base_digest,
        table.sandbox == sandbox,
    )
    row = connection.execute(query.order_by(table.id.desc()).limit(1)).first()
    if row is None:
        return None
    return Qualification(**{name: value for name, value in row._mapping.items() if name != "id"})


def _attempt(row: Row[*tuple[Any, ...]]) -> Attempt:
    return Attempt(**{name: value for name, value in row._mapping.items() if name != "planned_at"})


def _action(row: Row[*tuple[Any, ...]]) -> ActionRecord:
    return ActionRecord(**{name: value for name, value in row._mapping.items() if name != "try_id"})
