"""Opening databases: what is refused, and that refusing changes nothing."""

from __future__ import annotations

import hashlib
import sqlite3
import subprocess
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from sqlalchemy import INTEGER, Engine, Text, inspect, select, text

from harness.errors import InputError
from harness.store import migrations
from harness.store.database import open_engine
from harness.store.migrations import MIGRATIONS
from harness.store.tables import JsonText, metadata, schema_migrations
from harness.store.transactions import reading, writing


@contextmanager
def opened(where: str | Path) -> Iterator[Engine]:
    engine = open_engine(where)
    yield engine
    engine.dispose()


def test_migrations_build_the_tables_that_the_code_uses(place: str) -> None:
    with opened(place) as engine, reading(engine) as connection:
        look = inspect(connection)
        assert set(look.get_table_names()) == set(metadata.tables)
        for table in metadata.tables.values():
            built = {column["name"]: column for column in look.get_columns(table.name)}
            assert list(built) == list(table.columns.keys())
            for column in table.columns:
                assert built[column.name]["nullable"] == column.nullable, (table.name, column.name)
                kind = built[column.name]["type"]
                wanted = Text() if isinstance(column.type, JsonText) else column.type
                assert kind.python_type is wanted.python_type, (table.name, column.name)
                if engine.dialect.name == "postgresql":
                    assert not isinstance(kind, INTEGER), (table.name, column.name)  # 32 bits there
            keys = look.get_pk_constraint(table.name)["constrained_columns"]
            assert set(keys) == set(table.primary_key.columns.keys())


def test_sqlite_is_set_up_for_one_writer_and_readers(tmp_path: Path) -> None:
    with opened(tmp_path / "new" / "facts.db") as engine, reading(engine) as connection:
        values = {
            name: connection.exec_driver_sql(f"PRAGMA {name}").scalar()
            for name in ("journal_mode", "busy_timeout", "synchronous", "foreign_keys")
        }
    assert values == {"journal_mode": "wal", "busy_timeout": 30_000, "synchronous": 1, "foreign_keys": 1}


def test_a_path_needs_no_quoting(tmp_path: Path) -> None:
    path = tmp_path / "a ?b#c%20" / "facts.db"
    open_engine(path).dispose()
    assert path.exists()


def test_opening_again_changes_nothing(place: str) -> None:
    for _ in range(2):
        with opened(place) as engine, reading(engine) as connection:
            rows = connection.execute(select(schema_migrations.c.number)).scalars().all()
        assert rows == [migration.number for migration in MIGRATIONS]


def test_a_failed_migration_leaves_no_trace_and_can_be_repeated(place: str, monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(connection: object) -> None:
        migrations._first_tables(connection)  # type: ignore[arg-type]
        raise RuntimeError("power cut")

    first = MIGRATIONS[0]
    with monkeypatch.context() as patch:
        patch.setattr(migrations, "MIGRATIONS", (migrations.Migration(first.number, first.name, broken),))
        with pytest.raises(RuntimeError, match="power cut"):
            open_engine(place)
    with opened(place) as engine, reading(engine) as connection:
        assert set(inspect(connection).get_table_names()) == set(metadata.tables)


def test_processes_that_open_a_new_database_at_once_all_succeed(
    place: str, child: Callable[..., subprocess.Popen[str]]
) -> None:
    moment = str(time.time() + 2.5)
    children = [child("open_at", place, moment) for _ in range(6)]
    for process in children:
        _, errors = process.communicate(timeout=60)
        assert process.returncode == 0, errors
    with opened(place) as engine, reading(engine) as connection:
        assert len(connection.execute(select(schema_migrations)).all()) == len(MIGRATIONS)


def test_a_newer_schema_is_refused(place: str) -> None:
    with opened(place) as engine, writing(engine) as connection:
        connection.execute(schema_migrations.insert().values(number=99, name="later", at="2030"))
    with pytest.raises(InputError, match="schema version 99, newer than"):
        open_engine(place)


@pytest.mark.parametrize(
    "statement",
    [
        "CREATE TABLE orders (id INTEGER)",
        "CREATE TABLE schema_migrations (version TEXT)",
        "CREATE TABLE schema_migrations (number BIGINT, name TEXT, at TEXT)",
    ],
)
def test_another_programs_database_is_refused_unchanged(tmp_path: Path, statement: str) -> None:
    path = tmp_path / "shop.db"
    with sqlite3.connect(path) as connection:
        connection.execute(statement)
    connection.close()
    before = hashlib.sha256(path.read_bytes()).hexdigest()
    with pytest.raises(InputError, match="not a restartlab database") as caught:
        open_engine(path)
    assert caught.value.file == str(path)
    assert caught.value.mend
    assert hashlib.sha256(path.read_bytes()).hexdigest() == before
    assert [item.name for item in tmp_path.iterdir()] == ["shop.db"]


def test_tables_without_their_migrations_are_refused(place: str) -> None:
    with opened(place) as engine, writing(engine) as connection:
        connection.execute(text("DROP TABLE schema_migrations"))
    with pytest.raises(InputError, match="holds tables actions, attempts"):
        open_engine(place)


def test_a_file_that_is_no_database_is_refused_unchanged(tmp_path: Path) -> None:
    path = tmp_path / "notes.txt"
    path.write_text("not a database, but long enough to look at")
    with pytest.raises(InputError, match="not a SQLite database"):
        open_engine(path)
    assert path.read_text().startswith("not a database")


def test_a_damaged_database_is_bad_input(tmp_path: Path) -> None:
    path = tmp_path / "facts.db"
    open_engine(path).dispose()
    path.write_bytes(path.read_bytes()[:16] + b"\xff" * 5000)
    with pytest.raises(InputError, match="cannot be used"):
        open_engine(path)


def test_a_folder_in_place_of_the_file_is_refused(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="cannot be opened"):
        open_engine(tmp_path)


def test_a_reader_does_not_create_a_database(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="does not exist"):
        open_engine(tmp_path / "none" / "facts.db", create=False)
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    ("url", "message"),
    [
        ("facts.db", "not a database URL"),
        ("postgresql://me:secret@host:port/x", "not a database URL"),
        ("mysql://me:secret@host/x", "'mysql' is not supported"),
        ("sqlite://", "names no file"),
        ("sqlite:///:memory:", "names no file"),
        ("postgresql://me:secret@127.0.0.1:1/x", "cannot be used|driver cannot be loaded"),
    ],
)
def test_bad_urls_are_named_without_their_password(url: str, message: str) -> None:
    with pytest.raises(InputError, match=message) as caught:
        open_engine(url)
    assert "secret" not in str(caught.value)
    assert caught.value.mend


def test_a_missing_driver_names_the_extra(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(__import__("sys").modules, "psycopg", None)
    with pytest.raises(InputError, match="driver cannot be loaded") as caught:
        open_engine("postgresql://127.0.0.1:1/x")
    assert "restartlab[postgres]" in str(caught.value)
