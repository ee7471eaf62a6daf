"""The Store's methods: round trips, idempotence, and what they refuse."""

from __future__ import annotations

import pytest
from sqlalchemy import insert, select, update
from sqlalchemy.exc import IntegrityError
from store_builders import DIGEST, ME, action, attempt, planned, verified

from harness.canonical import digest_bytes
from harness.errors import InputError
from harness.store.records import StageConflict, StoreConflict, TryResult
from harness.store.store import Store
from harness.store.tables import ledger, tries
from harness.store.transactions import reading, writing

OTHER = digest_bytes(b"edited protocol")


def ledger_kinds(store: Store) -> list[str]:
    with reading(store._engine) as connection:
        return list(connection.execute(select(ledger.c.kind).order_by(ledger.c.seq)).scalars())


def test_repeating_registration_choice_and_plan_changes_nothing(store: Store) -> None:
    for _ in range(2):
        store.register_stage("pilot30", DIGEST, {"repeats": 5})
        store.choose_set("pilot30", DIGEST, "scripted")
        store.plan([attempt(1), attempt(2)])
    assert store.plan([attempt(1), attempt(2), attempt(3)]) == 1
    store.choose_set("pilot30", DIGEST, "local")
    assert store.chosen_sets("pilot30", DIGEST) == ["scripted", "local"]
    assert ledger_kinds(store) == [
        "stage_registered",
        "set_chosen",
        "attempts_planned",
        "attempts_planned",
        "set_chosen",
    ]
    record = store.stage("pilot30")
    assert record is not None
    assert (record.digest, record.protocol) == (DIGEST, {"repeats": 5})
    assert store.stage("horizon60") is None


def test_a_stage_with_attempts_keeps_its_digest(store: Store) -> None:
    store.register_stage("pilot30", OTHER, {"repeats": 4})
    planned(store, attempt())
    before = ledger_kinds(store)
    with pytest.raises(StageConflict) as caught:
        store.register_stage("pilot30", OTHER, {"repeats": 4})
    assert (caught.value.recorded, caught.value.given) == (DIGEST, OTHER)
    assert caught.value.recorded_protocol == {"stage": "pilot30", "repeats": 5}
    assert DIGEST in str(caught.value)
    assert OTHER in str(caught.value)
    assert caught.value.exit_code == 2
    with pytest.raises(StageConflict):
        store.plan([attempt(2, digest=OTHER)])
    assert ledger_kinds(store) == before
    assert len(store.attempts_to_run("pilot30")) == 1


def test_attempts_of_an_unregistered_stage_are_refused(store: Store) -> None:
    with pytest.raises(IntegrityError):
        store.plan([attempt()])


def test_a_finished_try_reads_back_whole(store: Store) -> None:
    mine = attempt()
    planned(store, mine)
    odd = {"file": "caf\udce9\x00", "nested": {"numbers": [1, 0.1]}}
    result = verified(
        2,
        calls=6,
        action=1,
        unpassed_at=4,
        repassed_at=6,
        trajectory=digest_bytes(b"trajectory"),
        outcome={"model_returned": "gpt-5.6-luna-1", "text": "\x00\ud800"},
        actions=(action(1), action(2), action(2, 1, returncode=None, cached=True, verdict_seconds=0.1, flags=odd)),
        findings=({"path": "conftest.py"}, odd),
    )
    try_id = store.start_try(mine.id, ME, {"git": "abc", "packages": {"mini-swe-agent": "2.4.6"}})
    store.finish_try(try_id, result)
    view = store.attempt(mine.id[:10])
    assert view.attempt == mine
    (seen,) = view.tries
    assert seen.actions == result.actions
    assert seen.findings == result.findings
    expected = {
        "number": 1,
        "state": "finished",
        "event": "verified",
        "call": 2,
        "action": 1,
        "calls": 6,
        "cost_usd": 0.25,
        "wall_s": 1.5,
        "unpassed_at": 4,
        "repassed_at": 6,
        "valid": True,
        "exclusion": None,
        "trajectory": result.trajectory,
        "outcome": result.outcome,
        "environment": {"git": "abc", "packages": {"mini-swe-agent": "2.4.6"}},
        "pid": ME.pid,
    }
    assert {name: seen.facts[name] for name in expected} == expected
    assert seen.facts["started_at"] <= seen.facts["ended_at"]


def test_a_try_ends_once(store: Store) -> None:
    mine = attempt()
    planned(store, mine)
    try_id = store.start_try(mine.id, ME, {})
    store.finish_try(try_id, verified(actions=(action(1),)))
    before = store.attempt(mine.id), ledger_kinds(store)
    with pytest.raises(StoreConflict, match="ended already"):
        store.finish_try(try_id, TryResult("censored", 30, 30, 9.0, actions=(action(2),)))
    with pytest.raises(StoreConflict, match="ended already"):
        store.exclude_try(try_id, "killed")
    with pytest.raises(StoreConflict, match="no try 999"):
        store.finish_try(999, verified())
    assert (store.attempt(mine.id), ledger_kinds(store)) == before


def test_one_try_at_a_time_and_none_after_a_valid_one(store: Store) -> None:
    mine = attempt()
    planned(store, mine)
    first = store.start_try(mine.id, ME, {})
    with pytest.raises(StoreConflict, match="try 1 is running"):
        store.start_try(mine.id, ME, {})
    store.exclude_try(first, "worker_lost")
    second = store.start_try(mine.id, ME, {})
    store.finish_try(second, verified())
    with pytest.raises(StoreConflict, match=r"try 2 ended validly \(verified at call 7\)"):
        store.start_try(mine.id, ME, {})
    with pytest.raises(StoreConflict, match="not planned"):
        store.start_try("f" * 64, ME, {})
    assert [item.facts["number"] for item in store.attempt(mine.id).tries] == [1, 2]


@pytest.mark.parametrize("state", ["finished", "running"])
def test_the_database_itself_refuses_a_second_valid_or_running_try(store: Store, state: str) -> None:
    mine = attempt()
    planned(store, mine)
    try_id = store.start_try(mine.id, ME, {})
    if state == "finished":
        store.finish_try(try_id, verified())
    with reading(store._engine) as connection:
        row = dict(connection.execute(select(tries)).one()._mapping)
    del row["id"]
    with pytest.raises(IntegrityError), writing(store._engine) as connection:
        connection.execute(insert(tries).values(row | {"number": 2}))


@pytest.mark.parametrize(
    "change",
    [
        {"state": "running"},
        {"event": None},
        {"valid": False},
        {"valid": None},
        {"exclusion": "killed"},
        {"valid": False, "exclusion": "killed"},
        {"call": 8},
        {"event": "solved"},
    ],
)
def test_the_database_itself_refuses_rows_that_contradict_themselves(store: Store, change: dict[str, object]) -> None:
    mine = attempt()
    planned(store, mine)
    store.finish_try(store.start_try(mine.id, ME, {}), verified(7))
    with pytest.raises(IntegrityError), writing(store._engine) as connection:
        connection.execute(update(tries).values(change))


def test_an_excluded_try_is_censored_at_its_last_finished_call(store: Store) -> None:
    mine = attempt()
    planned(store, mine)
    try_id = store.start_try(mine.id, ME, {})
    store.exclude_try(try_id, "interrupted", calls=4, wall_s=2.0, done=(action(4),), outcome={"error": "SIGINT"})
    (seen,) = store.attempt(mine.id).tries
    names = ("event", "call", "calls", "valid", "exclusion", "cost_usd", "outcome")
    expected = ("censored", 4, 4, False, "interrupted", None, {"error": "SIGINT"})
    assert tuple(seen.facts[name] for name in names) == expected
    assert seen.actions == (action(4),)
    with pytest.raises(ValueError, match="one word"):
        store.exclude_try(store.start_try(mine.id, ME, {}), "see /home/me/log")


def test_more_calls_than_the_horizon_are_refused(store: Store) -> None:
    mine = attempt(horizon=5)
    planned(store, mine)
    try_id = store.start_try(mine.id, ME, {})
    with pytest.raises(ValueError, match="horizon, 5"):
        store.finish_try(try_id, verified(6))
    assert [item.try_id for item in store.running_tries("pilot30")] == [try_id]


def test_attempts_to_run_tells_what_was_lost(store: Store) -> None:
    done, lost, running, fresh = attempt(1), attempt(2), attempt(3), attempt(1, task="sympy-2", runtime="luna")
    planned(store, done, lost, running, fresh, attempt(stage="other"))
    store.finish_try(store.start_try(done.id, ME, {}), verified())
    for reason in ("interrupted", "provider_outage", "killed"):
        store.exclude_try(store.start_try(lost.id, ME, {}), reason)
    store.start_try(running.id, ME, {})
    states = store.attempts_to_run("pilot30")
    facts = [(item.attempt, item.excluded, item.last_exclusion, item.running, item.interrupted) for item in states]
    assert facts == [
        (fresh, 0, None, False, 0),
        (lost, 3, "killed", False, 1),
        (running, 0, None, True, 0),
    ]
    assert [item.attempt for item in store.attempts_to_run("pilot30", runtimes=["luna"])] == [fresh]
    assert [item.attempt for item in store.attempts_to_run("pilot30", tasks=["sympy-1"])] == [lost, running]
    assert store.attempts_to_run("pilot30", runtimes=[]) == []


def test_counts_by_cell(store: Store) -> None:
    items = [attempt(repeat) for repeat in range(1, 7)]
    planned(store, *items, attempt(1, task="sympy-2"))
    ids = [store.start_try(item.id, ME, {}) for item in items[:5]]
    store.finish_try(ids[0], verified(cost_usd=0.5))
    store.finish_try(ids[1], TryResult("terminal", 3, 3, 1.0, reason="RepeatedFormatError", cost_usd=0.25))
    store.finish_try(ids[2], TryResult("censored", 30, 30, 1.0, reason="horizon", cost_usd=0.0))
    store.exclude_try(ids[3], "killed", cost_usd=1.0)
    store.exclude_try(store.start_try(items[3].id, ME, {}), "killed")
    first, second = store.counts("pilot30")
    assert (first.task, first.planned, first.running, first.finished) == ("sympy-1", 6, 1, 3)
    assert (first.verified, first.terminal, first.censored, first.excluded_tries) == (1, 1, 1, 2)
    assert (first.cost_usd, first.unknown_costs) == (1.75, 1)
    assert (second.task, second.planned, second.finished, second.cost_usd) == ("sympy-2", 1, 0, None)
    assert store.counts("horizon60") == []


def test_an_attempt_is_found_by_the_beginning_of_its_id(store: Store) -> None:
    items = [attempt(repeat) for repeat in range(1, 40)]
    planned(store, *items)
    twice = next(item.id[0] for item in items if sum(other.id[0] == item.id[0] for other in items) > 1)
    with pytest.raises(InputError, match="several attempts begin"):
        store.attempt(twice)
    with pytest.raises(InputError, match="no attempt begins"):
        store.attempt("0" * 20)
    for wrong in ("", "xyz", "ab%", "a" * 65):
        with pytest.raises(InputError, match="not the beginning"):
            store.attempt(wrong)
    assert store.attempt(items[4].id.upper()).attempt == items[4]


def test_the_newest_qualification_is_in_force(store: Store) -> None:
    key = ("sympy-1", DIGEST, "3.11", OTHER, "bubblewrap")
    assert store.qualification(*key) is None
    store.put_qualification(*key, qualified=False, record={"flake_rate": 0.1})
    store.put_qualification(*key, qualified=True, record={"flake_rate": 0.0})
    found = store.qualification(*key)
    assert found is not None
    assert (found.qualified, found.record) == (True, {"flake_rate": 0.0})
    assert store.qualification("sympy-1", DIGEST, "3.12", OTHER, "bubblewrap") is None
    assert ledger_kinds(store) == ["qualification", "qualification"]


def test_a_correction_is_a_new_record(store: Store) -> None:
    mine = attempt()
    planned(store, mine)
    store.finish_try(store.start_try(mine.id, ME, {}), verified())
    before = store.attempt(mine.id)
    store.correct({"stage": "pilot30", "task": "sympy-1"}, "cost_usd", 0.25, 0.05, "cached tokens were billed in full")
    assert store.attempt(mine.id) == before
    assert ledger_kinds(store)[-1] == "correction"
    assert store.verify_ledger()[0].fault is None
