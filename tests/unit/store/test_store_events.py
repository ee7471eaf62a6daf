"""The event table: columns, order, and exact text."""

from __future__ import annotations

import csv
import io
import random
import sys
from pathlib import Path

import pytest
from store_builders import DIGEST, ME, attempt, planned, verified

from harness.errors import InputError
from harness.store.events import COLUMNS, EventRow, write_csv, write_parquet
from harness.store.records import TryResult
from harness.store.store import Store


def exported(store: Store, stage: str | None = None) -> str:
    stream = io.StringIO(newline="")
    write_csv(store.event_rows(stage), stream)
    return stream.getvalue()


def test_columns_are_those_of_the_design() -> None:
    assert ", ".join(COLUMNS) == (
        "stage, digest, origin, task, runtime, arm, repeat, try, horizon, event, call, action, reason, calls, "
        "cost_usd, wall_s, unpassed_at, repassed_at, valid, exclusion"
    )


def test_csv_is_exact(store: Store) -> None:
    first, second = attempt(1), attempt(2)
    planned(store, first, second)
    store.exclude_try(store.start_try(first.id, ME, {}), "killed", calls=2)
    result = verified(3, calls=9, wall_s=0.1 + 0.2, cost_usd=0.0, reason="pass", unpassed_at=5, repassed_at=6)
    store.finish_try(store.start_try(first.id, ME, {}), result)
    store.start_try(second.id, ME, {})
    head = f"pilot30,{DIGEST},synthetic,sympy-1,scripted,baseline,1"
    assert exported(store) == (
        ",".join(COLUMNS)
        + f"\n{head},1,30,censored,2,,killed,2,,,,,false,killed"
        + f"\n{head},2,30,verified,3,0,pass,9,0.0,0.30000000000000004,5,6,true,\n"
    )
    assert exported(store, "horizon60") == ",".join(COLUMNS) + "\n"


def test_rows_are_sorted_by_key_whatever_the_order_of_work(store: Store) -> None:
    items = [
        attempt(repeat, task=task, runtime=runtime, stage=stage)
        for repeat in (1, 2, 10)
        for task in ("sympy-10", "sympy-9", "Sympy-9", "sympy_9", "ärger")
        for runtime in ("b", "a")
        for stage in ("s2", "s1")
    ]
    random.Random(1).shuffle(items)
    planned(store, *items)
    for item in items:
        store.finish_try(store.start_try(item.id, ME, {}), TryResult("censored", 30, 30, 1.0))
    keys = [(row.stage, row.task, row.runtime, row.arm, row.repeat, row.try_) for row in store.event_rows()]
    assert keys == sorted(keys)
    assert len(keys) == len(items)
    assert {row.stage for row in store.event_rows("s1")} == {"s1"}


def test_csv_of_odd_names_reads_back() -> None:
    odd = 'a,"b"\nc'
    row = EventRow(
        odd,
        "d",
        "imported",
        "=1+1",
        "r",
        "é",
        1,
        1,
        30,
        "censored",
        0,
        None,
        None,
        0,
        None,
        1e-7,
        None,
        None,
        True,
        None,
    )
    stream = io.StringIO(newline="")
    assert write_csv([row], stream) == 1
    (back,) = csv.DictReader(io.StringIO(stream.getvalue(), newline=""))
    assert (back["stage"], back["task"], back["arm"], float(back["wall_s"])) == (odd, "=1+1", "é", 1e-7)
    assert "\r" not in stream.getvalue()


def test_parquet_holds_the_same_rows(store: Store, tmp_path: Path) -> None:
    parquet = pytest.importorskip("pyarrow.parquet")
    item = attempt()
    planned(store, item)
    store.exclude_try(store.start_try(item.id, ME, {}), "killed")
    store.finish_try(store.start_try(item.id, ME, {}), verified())
    path = tmp_path / "events.parquet"
    assert write_parquet(store.event_rows(), path) == 2
    table = parquet.read_table(path)
    assert table.column_names == list(COLUMNS)
    assert [tuple(row.values()) for row in table.to_pylist()] == [
        tuple(vars(row).values()) for row in store.event_rows()
    ]
    assert [str(table.schema.field(name).type) for name in ("repeat", "wall_s", "valid")] == ["int64", "double", "bool"]


def test_parquet_without_pyarrow_says_so(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    with pytest.raises(InputError, match="needs pyarrow"):
        write_parquet([], tmp_path / "events.parquet")
    assert list(tmp_path.iterdir()) == []
