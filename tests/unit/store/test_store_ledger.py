"""The hash chain and its agreement with the tables."""

from __future__ import annotations

import hashlib
import json
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from sqlalchemy import delete, select, update
from store_builders import ME, action, attempt, planned, verified

from harness.store import ledger as chain
from harness.store.records import TryResult
from harness.store.store import Store
from harness.store.tables import actions, attempts, audits, ledger, qualifications, stages, tries
from harness.store.transactions import reading, writing


@pytest.fixture
def filled(store: Store) -> Store:
    """A store with eight ledger records."""
    mine, other = attempt(1), attempt(2)
    planned(store, mine, other)
    store.exclude_try(store.start_try(mine.id, ME, {"git": "abc"}), "killed", calls=1, done=(action(1),))
    store.finish_try(store.start_try(mine.id, ME, {}), verified(wall_s=2.0, actions=(action(7),), findings=({"a": 1},)))
    store.finish_try(store.start_try(other.id, ME, {}), TryResult("terminal", 3, 3, 0.1, cost_usd=1e-7))
    return store


def test_the_hash_is_as_documented(filled: Store) -> None:
    """An independent computation: plain JSON with sorted keys is canonical for these values."""
    previous = "0" * 64
    with reading(filled._engine) as connection:
        rows = connection.execute(select(ledger).order_by(ledger.c.seq)).all()
    for row in rows:
        head = json.dumps({"at": row.at, "kind": row.kind}, separators=(",", ":"))[1:-1]
        tail = f'"prev":"{previous}","seq":{row.seq}'
        text = f'{{{head},"payload":{row.payload},{tail}}}'
        assert hashlib.sha256(text.encode()).hexdigest() == row.hash
        previous = row.hash
    assert len(rows) == 8
    report, fault = filled.verify_ledger()
    assert report == chain.ChainReport(8, previous, None)
    assert fault is None


def test_an_empty_ledger_holds(store: Store) -> None:
    assert store.verify_ledger() == (chain.ChainReport(0, chain.GENESIS, None), None)


def edit_payload(store: Store, seq: int) -> dict[str, Any]:
    with reading(store._engine) as connection:
        payload = json.loads(connection.execute(select(ledger.c.payload).where(ledger.c.seq == seq)).scalar_one())
    payload["rows"][0]["stage" if seq == 1 else "id"] = 77
    return {"payload": json.dumps(payload, sort_keys=True, separators=(",", ":"))}


@pytest.mark.parametrize(
    ("seq", "change", "field"),
    [
        (3, {"at": "1999-01-01T00:00:00.000000Z"}, "at, kind or payload"),
        (3, {"kind": "try_excluded"}, "at, kind or payload"),
        (4, edit_payload, "at, kind or payload"),
        (4, {"payload": '{"rows": []}'}, "payload"),
        (4, {"payload": "{"}, "payload"),
        (4, {"payload": "NaN"}, "payload"),
        (5, {"hash": "f" * 64}, "hash"),
        (8, {"hash": "f" * 64}, "hash"),
        (5, {"prev_hash": "f" * 64}, "prev_hash"),
        (1, {"prev_hash": "f" * 64}, "prev_hash"),
        (6, {"seq": 60}, "seq"),
        (6, None, "seq"),
    ],
)
def test_the_first_bad_record_and_field_are_named(filled: Store, seq: int, change: Any, field: str) -> None:
    values = change(filled, seq) if callable(change) else change
    with writing(filled._engine) as connection:
        where = ledger.c.seq == seq
        connection.execute(
            delete(ledger).where(where) if values is None else update(ledger).where(where).values(values)
        )
    report, _ = filled.verify_ledger()
    assert report.fault is not None
    assert (report.fault.seq, report.fault.field, report.records) == (seq, field, seq - 1)


@pytest.mark.parametrize(
    ("statement", "table", "field"),
    [
        (update(tries).where(tries.c.number == 2).values(call=5), "tries", "call"),
        (update(tries).where(tries.c.number == 2).values(wall_s=2.5), "tries", "wall_s"),
        (update(tries).where(tries.c.number == 2).values(outcome={"edited": True}), "tries", "outcome"),
        (update(actions).where(actions.c.call == 7).values(seconds=0.0), "tries", "actions"),
        (delete(audits), "tries", "audits"),
        (update(attempts).where(attempts.c.repeat == 2).values(horizon=60), "attempts", "horizon"),
        (update(stages).values(protocol={"edited": True}), "stages", "protocol"),
    ],
)
def test_an_edited_row_is_found_through_the_ledger(filled: Store, statement: Any, table: str, field: str) -> None:
    with writing(filled._engine) as connection:
        connection.execute(statement)
    report, fault = filled.verify_ledger()
    assert report.fault is None
    assert fault is not None
    assert (fault.table, fault.field) == (table, field)


def test_a_cut_tail_is_found_through_the_rows_it_covered(filled: Store) -> None:
    with writing(filled._engine) as connection:
        connection.execute(delete(ledger).where(ledger.c.seq >= 7))
    report, fault = filled.verify_ledger()
    assert report.fault is None
    assert report.records == 6
    assert fault is not None
    assert (fault.table, fault.field, fault.recorded) == ("tries", None, "nothing")


def test_a_removed_row_is_found(filled: Store) -> None:
    filled.put_qualification("sympy-1", "d", "3.11", "b", "bubblewrap", True, {})
    with writing(filled._engine) as connection:
        connection.execute(delete(qualifications))
    _, fault = filled.verify_ledger()
    assert fault is not None
    assert (fault.table, fault.field, fault.found) == ("qualifications", None, "nothing")


def test_a_failed_write_leaves_no_record(filled: Store) -> None:
    def fail() -> None:
        with writing(filled._engine) as connection:
            chain.append(connection, "correction", {"why": "never"})
            raise RuntimeError

    with pytest.raises(RuntimeError):
        fail()
    assert filled.verify_ledger()[0].records == 8


JSON = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-(2**53) + 1, 2**53 - 1)
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\x00")),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text("abü€𝄞", max_size=3), inner, max_size=3),
    max_leaves=8,
)


@settings(max_examples=40, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(values=st.lists(JSON, min_size=1, max_size=3))
def test_whatever_a_payload_holds_the_chain_holds(store: Store, values: list[Any]) -> None:
    with writing(store._engine) as connection:
        for value in values:
            chain.append(connection, "correction", {"value": value})
        assert chain.verify(connection).fault is None
