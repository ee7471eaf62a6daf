"""The tensor of a planning stage: holes are named, losses are holes unless they are to count, failures are rows."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from harness.canonical import digest_json
from harness.errors import Incomplete, InputError
from harness.planning.tensor import planning_rows
from harness.store.controller import Controller
from harness.store.records import Attempt, TryResult
from harness.store.store import Store

DIGEST = "a" * 64
PLAN = {"protocol": {"planning": {"actions": [{"name": "verify"}, {"name": "retry"}]}}}


def attempt(task: str, arm: str, repeat: int, runtime: str = "one") -> Attempt:
    identity = digest_json([task, arm, repeat, runtime])
    return Attempt(identity, "plans", DIGEST, task, runtime, arm, repeat, 1, "synthetic")


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    """A stage of one task, two actions, two repeats; nothing has run."""
    with Store.open(tmp_path / "events.db") as opened:
        opened.register_stage("plans", DIGEST, PLAN)
        opened.plan(attempt("planning-s-1", arm, repeat) for arm in ("retry", "verify") for repeat in (1, 2))
        yield opened


def run(store: Store, one: Attempt, public: float | None) -> None:
    """A try that ends with this public score; None: it is lost."""
    number = store.start_try(one.id, Controller.current(), {})
    if public is None:
        store.exclude_try(number, "provider_outage", calls=0)
        return
    found = {
        "state": "suboptimal", "public": public, "strict": int(public == 1), "stratum": "s", "first": "infeasible",
        "provenance": "native_verifier_observed",
    }  # fmt: skip
    event: dict[str, Any] = {"event": "verified", "action": 0} if public == 1 else {"event": "terminal"}
    store.finish_try(number, TryResult(call=1, calls=1, wall_s=0.1, cost_usd=0.5, outcome={"planning": found}, **event))


def test_rows_in_the_order_of_the_protocol(store: Store) -> None:
    for one in store.attempts("plans"):
        run(store, one, 1.0 if one.arm == "retry" else 0.25)
    rows = planning_rows(store, "plans")
    assert [(row["action"], row["repeat"], row["select"], row["evaluate"]) for row in rows] == [
        ("verify", 1, 0.25, 0), ("verify", 2, 0.25, 0), ("retry", 1, 1.0, 1), ("retry", 2, 1.0, 1)
    ]  # fmt: skip
    assert rows[0] == {
        "checkpoint": "planning-s-1", "task": "planning-s-1", "runtime": "one", "action": "verify", "repeat": 1,
        "select": 0.25, "evaluate": 0, "provenance": "native_verifier_observed", "calls": 1, "cost_usd": 0.5,
        "stage": "plans", "origin": "synthetic", "stratum": "s", "key": "infeasible",
    }  # fmt: skip


def test_holes_are_named_and_losses_are_holes(store: Store) -> None:
    first, *others, last = store.attempts("plans")
    for one in others:
        run(store, one, 0.5)
    run(store, last, None)
    with pytest.raises(Incomplete, match="2 holes of 4 episodes: planning-s-1 verify repeat 2"):
        planning_rows(store, "plans")
    run(store, first, 0.5)
    with pytest.raises(Incomplete, match="1 holes of 4"):
        planning_rows(store, "plans")
    counted = planning_rows(store, "plans", count_lost=True)
    assert [(row["select"], row["provenance"]) for row in counted if not row["select"]] == [
        (0.0, "invalid_adapter_attempt")
    ]
    run(store, last, 0.5)
    assert len(planning_rows(store, "plans")) == 4


def test_runtimes_are_chosen_by_name(store: Store) -> None:
    for one in store.attempts("plans"):
        run(store, one, 0.5)
    store.plan([attempt("planning-s-1", "retry", 1, "two")])
    assert len(planning_rows(store, "plans", ["one"])) == 4
    with pytest.raises(Incomplete, match=r"1 holes of 5 .*\(two\)"):
        planning_rows(store, "plans")
    with pytest.raises(InputError, match="'three' has no attempts"):
        planning_rows(store, "plans", ["three"])


def test_other_stages_have_no_such_tensor(store: Store) -> None:
    store.register_stage("other", DIGEST, {"protocol": {"kind": "collect"}})
    for name in ("other", "unheard"):
        with pytest.raises(InputError, match="not a planning stage"):
            planning_rows(store, name)
