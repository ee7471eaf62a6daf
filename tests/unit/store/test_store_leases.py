"""Who holds a lease is decided by the database's clock."""

from __future__ import annotations

import time
from dataclasses import replace

from harness.store import leases
from harness.store.controller import Controller
from harness.store.store import Store
from harness.store.transactions import writing


def test_a_lease_holds_until_its_time_is_over(store: Store) -> None:
    mine, other = Controller.current(), Controller.current()
    assert store.expired_leases([mine, other]) == {mine.id, other.id}
    store.renew_lease(mine)
    assert store.expired_leases([mine, other]) == {other.id}
    with writing(store._engine) as connection:
        leases.renew(connection, mine.id, seconds=0.2)
    assert store.expired_leases([mine]) == set()
    time.sleep(0.3)
    assert store.expired_leases([mine]) == {mine.id}
    store.renew_lease(mine)
    assert store.expired_leases([mine]) == set()


def test_leases_of_many_controllers(store: Store) -> None:
    many = [replace(Controller.current(), id=f"c{n}") for n in range(50)]
    for one in many[::2]:
        store.renew_lease(one)
    assert store.expired_leases(many) == {one.id for one in many[1::2]}
