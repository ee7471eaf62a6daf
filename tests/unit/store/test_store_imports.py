"""Imported rows: exact round trips, refusals that write nothing, and the ledger's cover."""

from __future__ import annotations

import io
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest
from sqlalchemy import text
from store_builders import DIGEST, ME, attempt, planned, verified

from analysis.errors import InputError as RowRefused
from analysis.table import EventTable
from harness.collection.event_cells import table_of
from harness.collection.importing import import_files, read_files
from harness.errors import InputError
from harness.plan import attempt_id
from harness.store.database import open_engine
from harness.store.events import COLUMNS, write_csv
from harness.store.records import StageConflict, TryResult
from harness.store.store import Store

HEADER = ",".join(COLUMNS)
BARE = "stage,task,runtime,arm,repeat,horizon,event,call,reason,calls,cost_usd,wall_s,valid,exclusion"


def exported(store: Store) -> str:
    stream = io.StringIO(newline="")
    write_csv(store.event_rows(), stream)
    return stream.getvalue()


@pytest.fixture
def fresh(tmp_path: Path) -> Callable[[], Store]:
    """Opens another, empty database."""
    opened: list[Store] = []

    def open_one() -> Store:
        opened.append(Store.open(tmp_path / f"other{len(opened)}.db"))
        return opened[-1]

    return open_one


def written(path: Path, content: str) -> Path:
    path.write_text(content, encoding="utf-8", newline="")
    return path


def test_round_trip_of_collected_rows_is_exact(store: Store, tmp_path: Path, fresh: Callable[[], Store]) -> None:
    first, second = attempt(1), attempt(2, task='odd, "name"', origin="collected")
    planned(store, first, second)
    store.exclude_try(store.start_try(first.id, ME, {}), "killed", calls=2, cost_usd=0.1 + 0.2)
    result = verified(3, calls=9, wall_s=1e-7, cost_usd=0.0, unpassed_at=5, repassed_at=6)
    store.finish_try(store.start_try(first.id, ME, {}), result)
    store.finish_try(store.start_try(second.id, ME, {}), TryResult("terminal", 30, 30, 1.0, reason="refusal"))
    path, other = written(tmp_path / "events.csv", exported(store)), fresh()
    done = import_files(other, read_files([path]))
    assert (done.stages, done.attempts, done.tries) == (("pilot30",), 2, 3)
    assert exported(other) == path.read_text(encoding="utf-8")
    # The identity that every machine derives, not one of the import's own.
    identity = attempt_id(DIGEST, first.task, first.runtime, first.arm, first.repeat)
    assert other.attempt(identity).attempt == replace(first, id=identity)
    report, fault = other.verify_ledger()
    assert (report.fault, fault) == (None, None)


def test_bare_columns_any_order_of_rows(store: Store, tmp_path: Path) -> None:
    rows = [f"s,{task},r,a,{repeat},30,verified,5,,5,,,true," for task in "ba" for repeat in (10, 2)]
    import_files(store, read_files([written(tmp_path / "bare.csv", "\n".join([BARE, *rows, ""]))]))
    lines = exported(store).splitlines()
    assert lines[1] == "s,,imported,a,r,a,2,1,30,verified,5,,,5,,,,,true,"
    assert [line.split(",")[3:7:3] for line in lines[1:]] == [["a", "2"], ["a", "10"], ["b", "2"], ["b", "10"]]
    # Again into another database: the export is canonical.
    again = Store.open(tmp_path / "again.db")
    import_files(again, read_files([written(tmp_path / "canonical.csv", exported(store))]))
    assert exported(again) == exported(store)
    again.close()


def test_same_task_in_two_stages_of_unknown_digest(store: Store, tmp_path: Path) -> None:
    rows = [f"{stage},t,r,a,1,30,verified,5,,5,,,true," for stage in ("s1", "s2")]
    assert import_files(store, read_files([written(tmp_path / "two.csv", "\n".join([BARE, *rows, ""]))])).attempts == 2


def test_bad_row_writes_nothing(store: Store, tmp_path: Path) -> None:
    rows = [f"s,t,r,a,{repeat},30,verified,5,,5,,,true," for repeat in range(1, 50)]
    path = written(tmp_path / "bad.csv", "\n".join([BARE, *rows, "s,t,r,a,50,30,verified,31,,31,,,true,", ""]))
    with pytest.raises(RowRefused, match=r"bad\.csv, row 51, column call: 31 is above the horizon, 30"):
        import_files(store, read_files([path]))
    assert (list(store.event_rows()), store.stage("s")) == ([], None)


def test_held_attempt_refuses_all(store: Store, tmp_path: Path) -> None:
    path = written(tmp_path / "one.csv", f"{BARE}\ns,t,r,a,2,30,verified,5,,5,,,true,\n")
    import_files(store, read_files([path]))
    before = exported(store)
    two = written(
        tmp_path / "two.csv", f"{BARE}\ns,t,r,a,2,30,verified,6,,6,,,true,\ns,t,r,a,1,30,verified,5,,5,,,true,\n"
    )
    with pytest.raises(InputError, match=r"two\.csv: row 2: the database holds attempt s, t, r, a, repeat 2 already"):
        import_files(store, read_files([two]))
    assert exported(store) == before
    more = written(tmp_path / "more.csv", f"{BARE}\ns,t,r,a,1,30,verified,5,,5,,,true,\n")
    assert import_files(store, read_files([more])).attempts == 1
    assert store.verify_ledger()[1] is None


def test_one_digest_under_two_names_is_refused(store: Store, tmp_path: Path) -> None:
    head = "stage,digest," + BARE.removeprefix("stage,")
    one, two = (f"{name},{'a' * 64},t,r,a,1,30,verified,5,,5,,,true," for name in ("s", "u"))
    with pytest.raises(InputError, match=r"both\.csv: row 3, column digest: stages s and u have one digest"):
        read_files([written(tmp_path / "both.csv", f"{head}\n{one}\n{two}\n")])
    import_files(store, read_files([written(tmp_path / "one.csv", f"{head}\n{one}\n")]))
    before = exported(store)
    with pytest.raises(InputError, match="of stage u is that of stage s already"):
        import_files(store, read_files([written(tmp_path / "two.csv", f"{head}\n{two}\n")]))
    assert exported(store) == before


def test_other_digest_is_refused(store: Store, tmp_path: Path) -> None:
    planned(store, attempt(1))
    path = written(tmp_path / "bare.csv", f"{BARE}\npilot30,t,r,a,1,30,verified,5,,5,,,true,\n")
    with pytest.raises(StageConflict, match=DIGEST):
        import_files(store, read_files([path]))
    rows = [
        f"s,{digest},imported,{task},r,a,1,1,30,verified,5,,,5,,,,,true," for digest, task in (("x", "t"), ("y", "u"))
    ]
    with pytest.raises(InputError, match=r"row 3, column digest: 'y' beside 'x': stage s has two digests"):
        import_files(store, read_files([written(tmp_path / "two.csv", "\n".join([HEADER, *rows, ""]))]))
    assert list(store.event_rows()) == []


def test_ledger_notices_a_changed_import(place: str, tmp_path: Path) -> None:
    with Store.open(place) as store:
        path = written(tmp_path / "one.csv", f"{BARE}\ns,t,r,a,2,30,verified,5,,5,,,true,\n")
        import_files(store, read_files([path]))
        planned(store, attempt(1))
        store.finish_try(store.start_try(attempt(1).id, ME, {}), verified())
        assert store.verify_ledger()[1] is None
        engine = open_engine(place)
        with engine.begin() as connection:
            connection.execute(text("UPDATE tries SET call = 4 WHERE call = 5"))
        engine.dispose()
        fault = store.verify_ledger()[1]
        assert fault is not None
        assert (fault.table, fault.field) == ("tries", "import")


def test_table_of_the_database(store: Store, tmp_path: Path) -> None:
    with pytest.raises(InputError, match="no try has ended"):
        table_of(store)
    path = written(
        tmp_path / "one.csv", f"{BARE}\ns,t,r,a,2,30,verified,5,,5,0.5,,true,\nz,t,r,a,2,30,censored,30,x,30,,,true,\n"
    )
    import_files(store, read_files([path]))
    assert list(table_of(store).rows()) == list(EventTable.read([path]).rows())
    assert table_of(store, ["z"]).values["stage"] == ("z",)
    with pytest.raises(InputError, match="holds nothing of stage 'y'"):
        table_of(store, ["z", "y"])
