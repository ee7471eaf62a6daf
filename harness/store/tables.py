"""The tables as the code sees them; the statements that create them are in ``migrations``.

Nothing is deleted or overwritten: rows are inserted, and a try goes from running to finished once.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from sqlalchemy import BigInteger, Boolean, Column, Double, ForeignKey, Integer, MetaData, String, Table, Text
from sqlalchemy.engine import Dialect
from sqlalchemy.types import TypeDecorator


def json_text(value: Any) -> str:
    """Stable ASCII JSON. Escapes carry what PostgreSQL's text cannot: NUL, and odd bytes of an agent's file names."""
    return json.dumps(value, sort_keys=True, ensure_ascii=True, allow_nan=False, separators=(",", ":"), default=_plain)


def _plain(value: Any) -> Any:
    if isinstance(value, Mapping):
        return dict(value)
    raise TypeError(f"{value!r} is not JSON")


class JsonText(TypeDecorator[Any]):
    """JSON in a text column, the same bytes in both databases."""

    impl = Text
    cache_ok = True

    def process_bind_param(self, value: Any, dialect: Dialect) -> str | None:
        """To the database."""
        return None if value is None else json_text(value)

    def process_result_value(self, value: str | None, dialect: Dialect) -> Any:
        """From the database."""
        return None if value is None else json.loads(value)


#: PostgreSQL's Integer has 32 bits; SQLite numbers rows by itself only in a column of type INTEGER, which has 64.
RowId = BigInteger().with_variant(Integer(), "sqlite")

metadata = MetaData()

schema_migrations = Table(
    "schema_migrations",
    metadata,
    Column("number", BigInteger, primary_key=True, autoincrement=False),
    Column("name", String, nullable=False),
    Column("at", String, nullable=False),
)

stages = Table(
    "stages",
    metadata,
    Column("stage", String, primary_key=True),
    Column("digest", String, primary_key=True),
    Column("protocol", JsonText, nullable=False),
    Column("first_at", String, nullable=False),
)

chosen_sets = Table(
    "chosen_sets",
    metadata,
    Column("stage", String, primary_key=True),
    Column("digest", String, primary_key=True),
    Column("name", String, primary_key=True),
    Column("at", String, nullable=False),
)

attempts = Table(
    "attempts",
    metadata,
    Column("id", String, primary_key=True),
    Column("stage", String, nullable=False),
    Column("digest", String, nullable=False),
    Column("task", String, nullable=False),
    Column("runtime", String, nullable=False),
    Column("arm", String, nullable=False),
    Column("repeat", BigInteger, nullable=False),
    Column("horizon", BigInteger, nullable=False),
    Column("origin", String, nullable=False),
    Column("planned_at", String, nullable=False),
)

tries = Table(
    "tries",
    metadata,
    Column("id", RowId, primary_key=True),
    Column("attempt_id", String, ForeignKey("attempts.id"), nullable=False),
    Column("number", BigInteger, nullable=False),
    Column("state", String, nullable=False),
    # Known at the start.
    Column("controller", String, nullable=False),
    Column("pid", BigInteger, nullable=False),
    Column("host", String, nullable=False),
    Column("boot", String, nullable=False),
    Column("pid_namespace", String, nullable=False),
    Column("process_started", BigInteger, nullable=False),
    Column("environment", JsonText, nullable=False),
    Column("started_at", String, nullable=False),
    # Known at the end.
    Column("event", String),
    Column("call", BigInteger),
    Column("action", BigInteger),
    Column("reason", String),
    Column("calls", BigInteger),
    Column("cost_usd", Double),
    Column("wall_s", Double),
    Column("unpassed_at", BigInteger),
    Column("repassed_at", BigInteger),
    Column("valid", Boolean),
    Column("exclusion", String),
    Column("trajectory", String),
    Column("outcome", JsonText),
    Column("ended_at", String),
)

leases = Table(
    "leases",
    metadata,
    Column("controller", String, primary_key=True),
    Column("until", Double, nullable=False),
)

actions = Table(
    "actions",
    metadata,
    Column("try_id", BigInteger, ForeignKey("tries.id"), primary_key=True, autoincrement=False),
    Column("call", BigInteger, primary_key=True, autoincrement=False),
    Column("action", BigInteger, primary_key=True, autoincrement=False),
    Column("command", String, nullable=False),
    Column("returncode", BigInteger),
    Column("seconds", Double, nullable=False),
    Column("layer_digest", String),
    Column("verdict_key", String),
    Column("verdict_state", String),
    Column("verdict_seconds", Double),
    Column("cached", Boolean, nullable=False),
    Column("flags", JsonText, nullable=False),
)

audits = Table(
    "audits",
    metadata,
    Column("id", RowId, primary_key=True),
    Column("try_id", BigInteger, ForeignKey("tries.id"), nullable=False),
    Column("finding", JsonText, nullable=False),
)

qualifications = Table(
    "qualifications",
    metadata,
    Column("id", RowId, primary_key=True),
    Column("task", String, nullable=False),
    Column("task_digest", String, nullable=False),
    Column("python", String, nullable=False),
    Column("base_digest", String, nullable=False),
    Column("sandbox", String, nullable=False),
    Column("qualified", Boolean, nullable=False),
    Column("record", JsonText, nullable=False),
    Column("at", String, nullable=False),
)

regrades = Table(
    "regrades",
    metadata,
    Column("id", RowId, primary_key=True),
    Column("stage", String, nullable=False),
    Column("digest", String, nullable=False),
    Column("scope", JsonText, nullable=False),
    Column("verifiers", JsonText, nullable=False),
    Column("environment", JsonText, nullable=False),
    Column("at", String, nullable=False),
)

regrade_verdicts = Table(
    "regrade_verdicts",
    metadata,
    Column("regrade_id", BigInteger, ForeignKey("regrades.id"), primary_key=True, autoincrement=False),
    Column("try_id", BigInteger, ForeignKey("tries.id"), primary_key=True, autoincrement=False),
    Column("call", BigInteger, primary_key=True, autoincrement=False),
    Column("action", BigInteger, primary_key=True, autoincrement=False),
    Column("verdict_key", String, nullable=False),
    Column("verdict_state", String, nullable=False),
)

regrade_events = Table(
    "regrade_events",
    metadata,
    Column("regrade_id", BigInteger, ForeignKey("regrades.id"), primary_key=True, autoincrement=False),
    Column("try_id", BigInteger, ForeignKey("tries.id"), primary_key=True, autoincrement=False),
    Column("event", String),
    Column("call", BigInteger),
    Column("action", BigInteger),
    Column("reason", String),
    Column("unpassed_at", BigInteger),
    Column("repassed_at", BigInteger),
    Column("problem", String),
)

checkpoints = Table(
    "checkpoints",
    metadata,
    Column("stage", String, primary_key=True),
    Column("digest", String, primary_key=True),
    Column("runtime", String, primary_key=True),
    Column("number", BigInteger, primary_key=True, autoincrement=False),
    Column("id", String, nullable=False),
    Column("task", String, nullable=False),
    Column("call", BigInteger, nullable=False),
    Column("state", JsonText, nullable=False),
    Column("provenance", JsonText, nullable=False),
    Column("at", String, nullable=False),
)

checkpoint_sets = Table(
    "checkpoint_sets",
    metadata,
    Column("stage", String, primary_key=True),
    Column("digest", String, primary_key=True),
    Column("runtime", String, primary_key=True),
    Column("count", BigInteger, nullable=False),
    Column("refused", JsonText, nullable=False),
    Column("at", String, nullable=False),
)

ledger = Table(
    "ledger",
    metadata,
    Column("seq", BigInteger, primary_key=True, autoincrement=False),
    Column("at", String, nullable=False),
    Column("kind", String, nullable=False),
    Column("payload", Text, nullable=False),
    Column("prev_hash", String, nullable=False),
    Column("hash", String, nullable=False),
)
