"""Checks of the shard worker."""

import hashlib
import sqlite3

DATABASE = "data/items.db"


def _receipt(number, payload):
    return hashlib.sha256(f"{number}:{payload}".encode()).hexdigest()[:16]


def payloads(ctx):
    return ctx.rows(DATABASE, "SELECT id, payload FROM items WHERE id <= 60 ORDER BY id")


def receipts(ctx):
    return sorted(ctx.rows(DATABASE, "SELECT id, receipt FROM receipts WHERE id <= 60"))


def doubtful_receipts(ctx):
    """Receipts that are wrong, or given twice."""
    items = dict(tuple(row) for row in ctx.rows(DATABASE, "SELECT id, payload FROM items"))
    given = ctx.rows(DATABASE, "SELECT id, receipt FROM receipts")
    wrong = [row for row in given if row[0] in items and row[1] != _receipt(row[0], items[row[0]])]
    return wrong + [row for row in given if given.count(row) > 1]


def _put(ctx, shard):
    number = ctx.random.randint(1000, 10**7) * 4 + shard
    payload = str(ctx.random.random())
    assert (ctx.root / DATABASE).is_file(), "the database is gone"
    store = sqlite3.connect(str(ctx.root / DATABASE), timeout=2)
    store.execute("INSERT INTO items VALUES (?, ?, 'waiting')", (number, payload))
    store.commit()
    store.close()
    return number, payload


def _is_done(ctx, shards):
    items = [_put(ctx, shard) for shard in shards]
    for number, payload in items:
        found = ctx.until(lambda n=number: ctx.rows(DATABASE, "SELECT receipt FROM receipts WHERE id = ?", n), 1.2)
        assert found == [[_receipt(number, payload)]], f"the receipt of item {number} is {found}"


def items_get_receipts(ctx):
    _is_done(ctx, (2, 0, 1))
    left = ctx.rows(DATABASE, "SELECT id FROM items WHERE id <= 60 AND id % 4 <> 3 AND state = 'waiting'")
    assert not left, f"items {left} wait still"


def more_items_get_receipts(ctx):
    _is_done(ctx, (1, 2))


def other_shard_is_left_alone(ctx):
    """An item of the other machine's, put in before one of ours."""
    number, _ = _put(ctx, 3)
    try:
        _is_done(ctx, (0,))
    except AssertionError:
        pass
    taken = ctx.rows(DATABASE, "SELECT id FROM receipts WHERE id = ?", number)
    assert not taken, f"item {number} of the other machine was taken"
