"""Transactions with the same meaning on both databases: writers queue, readers see one moment."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from sqlalchemy import Connection, Engine, func, select
from sqlalchemy.exc import OperationalError

from harness.errors import InfrastructureError

#: Execution option that the begin event of ``database`` reads.
WRITE = "restartlab_write"

#: Key of PostgreSQL's advisory lock: one writer at a time in a database, as SQLite's BEGIN IMMEDIATE has it.
_WRITER_LOCK = 0x7265_7374_6C61_6200


@contextmanager
def writing(engine: Engine) -> Iterator[Connection]:
    """A transaction that holds the write lock from its start; commits at the end, rolls back on an exception.

    Raises:
        InfrastructureError: the database's disk is full, or fails.
    """
    with engine.connect() as connection:
        connection.execution_options(**{WRITE: True})
        if engine.dialect.name == "postgresql":
            # Each statement sees what was committed before it, so also what the lock waited for.
            connection.execution_options(isolation_level="READ COMMITTED")
        try:
            with connection.begin():
                if engine.dialect.name == "postgresql":
                    connection.execute(select(func.pg_advisory_xact_lock(_WRITER_LOCK)))
                yield connection
        except OperationalError as error:
            if not _disk_failed(error):
                raise
            raise InfrastructureError(
                f"the database cannot be written ({error.orig}); what it holds is whole\n"
                "  mend: see to its disk, then run the same command again"
            ) from error


def _disk_failed(error: OperationalError) -> bool:
    name = getattr(error.orig, "sqlite_errorname", None) or type(error.orig).__name__
    return name.startswith(("SQLITE_FULL", "SQLITE_IOERR", "DiskFull", "IoError"))


@contextmanager
def reading(engine: Engine) -> Iterator[Connection]:
    """A read-only view of one moment; blocks no writer."""
    with engine.connect() as connection:
        if engine.dialect.name == "postgresql":
            connection.execution_options(isolation_level="REPEATABLE READ", postgresql_readonly=True)
        with connection.begin():
            yield connection
