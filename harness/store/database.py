"""Opens the database: SQLite by path, SQLite or PostgreSQL by URL."""

from __future__ import annotations

import sqlite3
import time
from pathlib import Path
from typing import Any

from sqlalchemy import URL, Connection, Engine, create_engine, event, make_url
from sqlalchemy.exc import ArgumentError, DatabaseError, InterfaceError, NoSuchModuleError

from harness.errors import InputError
from harness.store.migrations import migrate
from harness.store.transactions import WRITE

#: How long a writer waits for another one (seconds).
BUSY_SECONDS = 30

_MEND_URL = "write sqlite:///path/to/file.db or postgresql://user@host/name"


def open_engine(where: str | Path, *, create: bool = True) -> Engine:
    """An engine on a database whose schema is up to date.

    Args:
        where: a path (SQLite), or a URL.
        create: whether a missing SQLite file is created.

    Raises:
        InputError: bad URL, missing driver, no or unreadable database, another program's, a newer release's.
    """
    url = _url(where)
    sqlite = url.get_backend_name() == "sqlite"
    place = str(url.database) if sqlite else url.render_as_string(hide_password=True)
    if sqlite:
        _check_file(Path(place), create)
    try:
        engine = create_engine(url)
    except ImportError as error:
        raise InputError(
            f"the driver cannot be loaded ({error})", file=place, mend="install the extra: restartlab[postgres]"
        ) from None
    except ArgumentError as error:
        raise InputError(str(error), file=place, mend=_MEND_URL) from None
    if sqlite:
        event.listen(engine, "connect", _configure)
        event.listen(engine, "begin", _begin)
    try:
        migrate(engine, place)
        if sqlite:
            _use_wal(engine)
    except BaseException as error:
        engine.dispose()
        if not isinstance(error, (DatabaseError, InterfaceError)):
            raise
        raise InputError(
            f"the database cannot be used ({' '.join(str(error.orig).split())})",
            file=place,
            mend="check that it is a database of restartlab, that its server runs, and that you may write to it",
        ) from None
    return engine


def _url(where: str | Path) -> URL:
    if isinstance(where, Path):
        return URL.create("sqlite", database=str(where))
    try:
        url = make_url(where)
        backend = url.get_backend_name()
    except (ArgumentError, NoSuchModuleError, ValueError):
        # The text may carry a password: it is not repeated.
        raise InputError("is not a database URL", file="database URL", mend=_MEND_URL) from None
    if backend in ("postgresql", "postgres"):
        return url.set(drivername="postgresql+psycopg")
    if backend != "sqlite":
        raise InputError(f"database {backend!r} is not supported", file="database URL", mend=_MEND_URL)
    if url.database in (None, "", ":memory:") or str(url.database).startswith("file:"):
        raise InputError("names no file", file="database URL", mend="write sqlite:///path/to/file.db")
    return url.set(drivername="sqlite")


def _check_file(path: Path, create: bool) -> None:
    if not path.exists() and not create:
        raise InputError("does not exist", file=path, mend="collect a stage first")
    try:
        if create:
            path.parent.mkdir(parents=True, exist_ok=True)
        if path.exists():
            with open(path, "rb") as stream:
                start = stream.read(16)
            if start and start != b"SQLite format 3\0":
                raise InputError("is not a SQLite database", file=path, mend="name another file")
    except OSError as error:
        raise InputError(f"cannot be opened ({error.strerror})", file=path, mend="check name and permissions") from None


def _configure(connection: Any, _record: Any) -> None:
    # Without this the sqlite3 module begins transactions by itself, deferred, and a later write may fail at once.
    connection.isolation_level = None
    cursor = connection.cursor()
    cursor.execute(f"PRAGMA busy_timeout = {BUSY_SECONDS * 1000}")
    cursor.execute("PRAGMA synchronous = NORMAL")
    cursor.execute("PRAGMA foreign_keys = ON")
    cursor.close()


def _begin(connection: Connection) -> None:
    write = connection.get_execution_options().get(WRITE, False)
    connection.exec_driver_sql("BEGIN IMMEDIATE" if write else "BEGIN")


def _use_wal(engine: Engine) -> None:
    """Switches the file to write-ahead logging, which it remembers. Only after it is known to be ours."""
    raw = engine.raw_connection()
    try:
        cursor = raw.cursor()
        deadline = time.monotonic() + BUSY_SECONDS
        while True:
            try:
                cursor.execute("PRAGMA journal_mode = WAL")
                break
            except sqlite3.OperationalError as error:
                # SQLite does not always honour busy_timeout here.
                if "locked" not in str(error) or time.monotonic() > deadline:
                    raise
                time.sleep(0.02)
        if cursor.fetchall() != [("wal",)]:
            raise InputError(
                "its file system does not support write-ahead logging",
                file=engine.url.database,
                mend="use a local disk",
            )
        cursor.close()
    finally:
        raw.close()
