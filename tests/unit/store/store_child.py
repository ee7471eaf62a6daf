"""Processes that the store's tests start, race and kill. Usage: store_child.py WHAT PLACE [ARGUMENT...]"""

from __future__ import annotations

import itertools
import sys
import time
from collections.abc import Callable

from store_builders import ME, action, attempt, planned, verified

from harness.store.store import Store


def write(place: str, first: str, count: str) -> None:
    """Plans, starts and finishes ``count`` attempts from repeat ``first`` on; prints each once it is finished."""
    repeats = itertools.count(int(first)) if count == "forever" else range(int(first), int(first) + int(count))
    with Store.open(place) as store:
        for repeat in repeats:
            mine = attempt(repeat)
            planned(store, mine)
            lost = store.start_try(mine.id, ME, {})
            store.exclude_try(lost, "provider_outage", calls=2, done=(action(1), action(2)))
            won = store.start_try(mine.id, ME, {})
            store.finish_try(won, verified(3, actions=tuple(action(call) for call in (1, 2, 3))))
            print(repeat, flush=True)


def open_at(place: str, moment: str) -> None:
    """Opens the database at a moment (seconds since the epoch) that several processes share."""
    time.sleep(max(0.0, float(moment) - time.time()))
    Store.open(place).close()


def start(place: str, repeat: str) -> None:
    """Starts a try and then waits to be killed."""
    with Store.open(place) as store:
        store.start_try(attempt(int(repeat)).id, ME, {})
        print("started", flush=True)
        time.sleep(600)


if __name__ == "__main__":
    WHAT: dict[str, Callable[..., None]] = {"write": write, "open_at": open_at, "start": start}
    WHAT[sys.argv[1]](*sys.argv[2:])
