"""Checkpoints in the store: written once, covered by the ledger, checked when they are read."""

from __future__ import annotations

from typing import Any

import pytest
from sqlalchemy import create_engine, text
from store_builders import DIGEST

from harness.errors import InputError
from harness.store.checkpoints import Checkpoint, CheckpointSet, arm_name, split_arm
from harness.store.records import StoreConflict
from harness.store.store import Store


def checkpoint(**changes: Any) -> Checkpoint:
    facts: dict[str, Any] = {
        "task": "sympy-1", "base": "b" * 64, "call": 12, "layer": "a" * 64, "scratch": {"home": "c" * 64},
        "messages": "d" * 64, "malformed": 2, "source": "e" * 64, "provenance": {"status": "live", "reason": None},
    }  # fmt: skip
    return Checkpoint(**(facts | changes))


def chosen(*checkpoints: Checkpoint, runtime: str = "scripted") -> CheckpointSet:
    return CheckpointSet(runtime, checkpoints, ({"task": "sympy-1", "why": "it passes"},))


@pytest.fixture
def registered(store: Store) -> Store:
    store.register_stage("checks", DIGEST, {"kind": "checkpoint"})
    return store


def test_what_was_put_is_found_in_its_order(registered: Store) -> None:
    one, two = checkpoint(), checkpoint(call=20, scratch=None, messages=None)
    assert registered.checkpoints("checks", DIGEST, "scripted") is None
    registered.put_checkpoints("checks", DIGEST, chosen(two, one))
    found = registered.checkpoints("checks", DIGEST, "scripted")
    assert found is not None
    assert found.checkpoints == (two, one)
    assert list(found.refused) == [{"task": "sympy-1", "why": "it passes"}]
    assert registered.checkpoint_runtimes("checks", DIGEST) == ["scripted"]
    assert registered.verify_ledger()[1] is None


def test_a_runtime_is_chosen_for_once(registered: Store) -> None:
    registered.put_checkpoints("checks", DIGEST, chosen(checkpoint()))
    with pytest.raises(StoreConflict, match="frozen already"):
        registered.put_checkpoints("checks", DIGEST, chosen(checkpoint(call=3)))
    found = registered.checkpoints("checks", DIGEST, "scripted")
    assert found is not None and found.checkpoints == (checkpoint(),)
    registered.put_checkpoints("checks", DIGEST, chosen(checkpoint(), runtime="other"))  # may be the same state
    registered.put_checkpoints("checks", DIGEST, chosen(runtime="empty"))
    assert registered.checkpoint_runtimes("checks", DIGEST) == ["empty", "other", "scripted"]


@pytest.mark.parametrize("column, value", [("state", '{"layer":"f"}'), ("provenance", "{}"), ("call", "3")])
def test_a_changed_row_is_found_out(registered: Store, place: str, column: str, value: str) -> None:
    registered.put_checkpoints("checks", DIGEST, chosen(checkpoint()))
    engine = create_engine(place.replace("postgresql://", "postgresql+psycopg://"))
    with engine.begin() as connection:
        connection.execute(text(f"UPDATE checkpoints SET {column} = :value"), {"value": int(value) if column == "call"
                                                                                else value})  # fmt: skip
    engine.dispose()
    fault = registered.verify_ledger()[1]
    assert fault is not None and (fault.table, fault.field) == ("checkpoints", column)


def test_a_state_that_is_not_what_its_id_says_is_refused(registered: Store, place: str) -> None:
    registered.put_checkpoints("checks", DIGEST, chosen(checkpoint()))
    engine = create_engine(place.replace("postgresql://", "postgresql+psycopg://"))
    with engine.begin() as connection:
        connection.execute(text("UPDATE checkpoints SET state = replace(state, :old, :new)"),
                           {"old": "a" * 64, "new": "f" * 64})  # fmt: skip
    engine.dispose()
    with pytest.raises(InputError, match="holds a state of the id"):
        registered.checkpoints("checks", DIGEST, "scripted")


def test_the_identity_is_the_state_and_not_where_it_came_from() -> None:
    one = checkpoint()
    assert checkpoint(provenance={"status": "ended"}).id == one.id
    for change in ({"call": 13}, {"layer": "0" * 64}, {"messages": None}, {"scratch": {}}, {"source": "0" * 64}):
        assert checkpoint(**change).id != one.id


def test_arms_name_action_and_checkpoint() -> None:
    one = checkpoint()
    assert split_arm(arm_name("restart", one.name)) == ("restart", one.name)
    assert split_arm("baseline") == ("baseline", "")
    assert one.id.startswith(one.name)
