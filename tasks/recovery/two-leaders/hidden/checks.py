"""Checks of the two workers. An order that was put in is known by its number."""

import sqlite3
import time

DATABASE = "data/orders.db"


def orders(ctx):
    return ctx.rows(DATABASE, "SELECT id, amount FROM orders WHERE id <= 40 ORDER BY id")


def first_receipts(ctx):
    query = "SELECT min(number), order_id, amount FROM receipts WHERE order_id <= 40 GROUP BY order_id ORDER BY 1"
    return ctx.rows(DATABASE, query)


def _write(ctx, query, *values):
    store = sqlite3.connect(str(ctx.root / DATABASE), timeout=2)
    store.execute(query, values)
    store.commit()
    store.close()


def _order(ctx):
    number = ctx.rows(DATABASE, "SELECT max(id) FROM orders")[0][0] + ctx.random.randint(1, 1000)
    amount = ctx.random.randint(1000, 10**6)
    _write(ctx, "INSERT INTO orders VALUES (?, ?)", number, amount)
    return number, amount


def _receipts(ctx, number, at_least, seconds):
    """The receipts of an order, as soon as there are so many, or after so many seconds."""
    query = "SELECT amount FROM receipts WHERE order_id = ?"
    try:
        ctx.until(lambda: len(ctx.rows(DATABASE, query, number)) >= at_least, seconds)
    except AssertionError:
        pass
    return ctx.rows(DATABASE, query, number)


def _status(ctx, name):
    return ctx.ask_json(f"run/{name}.sock", {"op": "status"})


def _one_receipt(ctx):
    number, amount = _order(ctx)
    assert _receipts(ctx, number, 1, 1.2), "a fresh order got no receipt"
    try:  # whoever leads by some lease has come to it
        ctx.until(lambda: all((_status(ctx, name)["last"] or 0) >= number for name in "ab"), 0.8)
    except AssertionError:
        pass
    found = _receipts(ctx, number, 2, 0.25)
    assert found == [[amount]], f"a fresh order over {amount} got the receipts {found}"


def _both_answer(ctx):
    for name in "ab":
        answer = _status(ctx, name)
        assert answer.get("worker") == name, f"worker {name} was asked for its status and answered {answer}"


def fresh_order_gets_one(ctx):
    _one_receipt(ctx)


def both_are_there(ctx):
    _both_answer(ctx)


def older_orders_have_one(ctx):
    query = "SELECT order_id, count(*) FROM receipts WHERE order_id <= 40 GROUP BY order_id"
    counts = dict(ctx.rows(DATABASE, query))
    wrong = [number for number in range(1, 41) if counts.get(number) != 1]
    assert not wrong, f"orders {wrong[:9]} have not one receipt each, of {len(wrong)}"


def another_order_gets_one(ctx):
    _both_answer(ctx)
    _one_receipt(ctx)


def nobody_works_on_foreign_leases(ctx):
    """While somebody else holds every lease no order gets a receipt."""
    _write(ctx, "UPDATE leases SET holder = 'visitor', until = ?", time.time() + 60)
    number, _ = _order(ctx)
    found = _receipts(ctx, number, 1, 0.7)
    _write(ctx, "UPDATE leases SET holder = '', until = 0 WHERE holder = 'visitor'")
    assert not found, "an order got a receipt while somebody else held the lease"
