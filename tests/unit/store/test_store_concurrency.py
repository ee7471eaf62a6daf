"""Many writers, live readers, and writers that are killed in the middle."""

from __future__ import annotations

import random
import subprocess
import time
from collections.abc import Callable

from store_builders import ME, attempt, planned, verified

from harness.store.store import Store

Start = Callable[..., "subprocess.Popen[str]"]


def holds(store: Store) -> int:
    """Checks the invariants that no crash may break; the number of finished attempts."""
    report, fault = store.verify_ledger()
    assert report.fault is None
    assert fault is None
    valid = [(row.task, row.repeat) for row in store.event_rows() if row.valid]
    assert len(valid) == len(set(valid))
    assert sum(cell.finished for cell in store.counts("pilot30")) == len(valid)
    return len(valid)


def test_eight_writers_and_a_live_reader(place: str, store: Store, child: Start) -> None:
    writers = [child("write", place, str(1 + 1000 * index), "5") for index in range(8)]
    looks = 0
    while any(process.poll() is None for process in writers):
        for cell in store.counts("pilot30"):
            assert cell.finished <= cell.planned
        list(store.event_rows())
        looks += 1
        time.sleep(0.02)
    for process in writers:
        _, errors = process.communicate()
        assert process.returncode == 0, errors
    assert looks > 1
    assert holds(store) == 8 * 5
    assert store.verify_ledger()[0].records == 1 + 8 * 5 * 5


def test_a_killed_writer_loses_at_most_its_running_try(place: str, store: Store, child: Start) -> None:
    chance = random.Random(60)
    said = 0
    for round_ in range(4):
        first = 1 + 1000 * round_
        process = child("write", place, str(first), "forever")
        assert process.stdout is not None
        process.stdout.readline()
        time.sleep(chance.uniform(0.0, 0.3))
        process.kill()
        said += 1 + len(process.communicate()[0].splitlines())
        assert holds(store) >= said
        for lost in store.running_tries("pilot30"):
            assert lost.controller.life() == "dead"
            store.exclude_try(lost.try_id, "killed")
        for state in store.attempts_to_run("pilot30"):
            store.finish_try(store.start_try(state.attempt.id, ME, {}), verified())
    assert store.attempts_to_run("pilot30") == []
    holds(store)


def test_a_dead_controllers_try_is_told_from_a_live_ones(place: str, store: Store, child: Start) -> None:
    planned(store, attempt(1), attempt(2))
    process = child("start", place, "1")
    assert process.stdout is not None
    assert process.stdout.readline() == "started\n"
    store.start_try(attempt(2).id, ME, {})
    theirs, mine = store.running_tries("pilot30")
    assert (theirs.controller.pid, theirs.controller.life(), mine.controller.life()) == (process.pid, "alive", "alive")
    assert mine.controller == ME
    assert (mine.number, mine.task) == (1, "sympy-1")
    process.kill()
    # Not yet reaped: a zombie is dead.
    deadline = time.monotonic() + 10
    while theirs.controller.life() == "alive" and time.monotonic() < deadline:
        time.sleep(0.01)
    assert theirs.controller.life() == "dead"
    assert mine.controller.life() == "alive"
