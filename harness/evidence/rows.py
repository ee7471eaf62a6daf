"""Rows of the database as drafts: every table that has to do with a stage, whatever the kind of the stage."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from sqlalchemy import Connection, Select, Table, select

from harness.canonical import canonical_json
from harness.errors import InputError
from harness.evidence.plain import original, plain
from harness.evidence.writing import Draft
from harness.store.tables import (
    JsonText,
    actions,
    attempts,
    audits,
    json_text,
    leases,
    ledger,
    metadata,
    qualifications,
    regrades,
    schema_migrations,
    stages,
    tries,
)

#: Tables that say nothing of a result, or whose rows stand inside others.
_ELSEWHERE = {table.name for table in (schema_migrations, leases, ledger, actions, audits, attempts, tries)}

#: What records of a table are called; others have the table's name.
KINDS = {"stages": "stage", "attempts": "attempt", "tries": "try", "qualifications": "qualification"}


def stage_rows(connection: Connection, stage: str) -> Iterator[Draft]:
    """The stage, its attempts, their tries with actions and audit findings, and all other rows about them.

    Raises:
        InputError: the database holds nothing of the stage.
    """
    if connection.execute(select(stages.c.stage).where(stages.c.stage == stage)).first() is None:
        raise InputError(f"the database holds nothing of stage {stage!r}", mend="restartlab status lists its stages")
    yield from _drafts(connection, stages, select(stages).where(stages.c.stage == stage))
    for table in metadata.sorted_tables:
        if table.name in _ELSEWHERE or table is stages:
            continue
        query = _about(table, stage)
        if query is not None:
            yield from _drafts(connection, table, query)
    yield from _drafts(connection, attempts, select(attempts).where(attempts.c.stage == stage))
    yield from _tries(connection, stage)


def _about(table: Table, stage: str) -> Select[Any] | None:
    mine = select(attempts.c.id).where(attempts.c.stage == stage)
    if "stage" in table.c:
        return select(table).where(table.c.stage == stage)
    if table is qualifications:
        return select(table).where(table.c.task.in_(select(attempts.c.task).where(attempts.c.stage == stage)))
    if "attempt_id" in table.c:
        return select(table).where(table.c.attempt_id.in_(mine))
    if "regrade_id" in table.c:
        return select(table).where(table.c.regrade_id.in_(select(regrades.c.id).where(regrades.c.stage == stage)))
    if "try_id" in table.c:
        return select(table).where(table.c.try_id.in_(select(tries.c.id).where(tries.c.attempt_id.in_(mine))))
    return None


def _drafts(connection: Connection, table: Table, query: Select[Any]) -> Iterator[Draft]:
    keys = [column.name for column in table.primary_key.columns]
    kind = KINDS.get(table.name, table.name)
    for row in connection.execute(query.order_by(*table.primary_key.columns)):
        body = dict(row._mapping)
        held = [column.name for column in table.columns if isinstance(column.type, JsonText)]
        yield Draft(kind, "/".join([kind, *(str(body[name]) for name in keys)]), body | _exact(body, held))


def _tries(connection: Connection, stage: str) -> Iterator[Draft]:
    query = select(tries, attempts.c.task, attempts.c.runtime).join_from(tries, attempts)
    order = attempts.c.task, attempts.c.runtime, attempts.c.arm, attempts.c.repeat, tries.c.number
    for row in connection.execute(query.where(attempts.c.stage == stage).order_by(*order)).all():
        body: dict[str, Any] = {column.name: row._mapping[column] for column in tries.c}
        done = select(actions).where(actions.c.try_id == row.id).order_by(actions.c.call, actions.c.action)
        found = select(audits).where(audits.c.try_id == row.id).order_by(audits.c.id)
        body["actions"] = [dict(one._mapping) for one in connection.execute(done)]
        body["audits"] = [dict(one._mapping) for one in connection.execute(found)]
        body |= _exact(body, ["environment", "outcome", "actions", "audits"])
        yield Draft("try", f"try/{row.attempt_id}/{row.number}", body | {"task": row.task, "runtime": row.runtime})


def _exact(body: Mapping[str, Any], names: Sequence[str]) -> dict[str, Any]:
    """The text of values of which canonical JSON keeps the number and not the writing (20.0 becomes 20): the ledger
    recorded the digest of that text."""
    found = {}
    for name in names:
        text = json_text(body[name])
        if body[name] is not None and json_text(original(json.loads(canonical_json(plain(body[name]))))) != text:
            found[name] = text
    return {"exact": found} if found else {}
