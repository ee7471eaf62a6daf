"""Records that live in the ledger alone: frozen thresholds, reused branches, reviews. On both databases."""

from __future__ import annotations

import pytest
from store_builders import DIGEST, ME, attempt, planned, verified

from harness.store.records import StoreConflict
from harness.store.reviews import Review
from harness.store.store import Store

KEY = {"stage": "pilot30", "digest": DIGEST, "runtime": "scripted", "task": "sympy-1"}


def test_thresholds_are_frozen_once_and_found_by_runtime(store: Store) -> None:
    planned(store, attempt())
    record = {"fixed-time": {"threshold": 12.5, "grid": [1, None]}, "word": "naïve"}
    store.freeze_thresholds("pilot30", DIGEST, "scripted", record, ["sympy-1"])
    found = store.thresholds("pilot30", DIGEST, "scripted")
    assert found is not None
    assert {name: found[name] for name in record} == record
    assert found["ledger_seq"] >= 1
    assert found["frozen_at"]
    assert store.thresholds("pilot30", DIGEST, "local") is None
    with pytest.raises(StoreConflict, match="frozen already"):
        store.freeze_thresholds("pilot30", DIGEST, "scripted", record, ["sympy-1"])


def test_thresholds_are_refused_after_a_held_out_try_of_the_runtime(store: Store) -> None:
    tried = attempt()
    planned(store, tried)
    store.finish_try(store.start_try(tried.id, ME, {}), verified())
    with pytest.raises(StoreConflict, match=r"sympy-1 .* is held out, and was tried before"):
        store.freeze_thresholds("pilot30", DIGEST, "scripted", {}, ["sympy-1"])
    store.freeze_thresholds("pilot30", DIGEST, "scripted", {"a": 1}, ["sympy-2"])
    store.freeze_thresholds("pilot30", DIGEST, "local", {"a": 2}, ["sympy-1"])


def test_a_reused_branch_is_recorded_once_a_key_in_the_order_of_the_chain(store: Store) -> None:
    planned(store, attempt())
    store.put_reuse("compositions_made", KEY, {"pairs": [{"layer": "a" * 64, "rank": 1}]})
    for layer in ("b", "a"):
        store.put_reuse("composition_verified", KEY | {"layer": layer * 64}, {"verdict": "fail"})
    with pytest.raises(StoreConflict, match="on record already"):
        store.put_reuse("composition_verified", KEY | {"layer": "a" * 64}, {"verdict": "pass"})
    (made,) = store.reuse("compositions_made", stage="pilot30", digest=DIGEST)
    calls = store.reuse("composition_verified", **KEY)
    assert made["pairs"] == [{"layer": "a" * 64, "rank": 1}]
    assert [call["layer"][0] for call in calls] == ["b", "a"]
    assert made["ledger_seq"] < calls[0]["ledger_seq"] < calls[1]["ledger_seq"]
    assert store.reuse("composition_verified", **(KEY | {"task": "sympy-2"})) == []


def test_reviews_are_kept_oldest_first(store: Store) -> None:
    for note, task in (("first", "a"), ("other", "b"), ("second", "a")):
        put = store.put_review(Review(task, "d" * 64, "R. Reviewer", True, "accept", note, ""))
        assert put.at
    assert [review.note for review in store.reviews("a")] == ["first", "second"]
    assert len(store.reviews()) == 3
    chain, fault = store.verify_ledger()
    assert (chain.fault, fault) == (None, None)
