"""Checks of the order service."""

import sqlite3

SOCKET = "run/orders.sock"


def _store(ctx):
    """The store that the settings name, as the service would open it."""
    settings = {}
    for path in sorted((ctx.root / "etc/conf.d").glob("*.json")):
        import json

        settings.update(json.loads(path.read_text()))
    return settings.get("db", "data/orders.db")


def _kept(ctx, query):
    path = _store(ctx)
    if not (ctx.root / path).exists():
        path = "data/orders.db"  # nothing is there for the settings: what still is on disk counts
    return sorted(ctx.rows(path, query))


def orders(ctx):
    return _kept(ctx, "SELECT id, account, cents FROM orders")


def accounts(ctx):
    return _kept(ctx, "SELECT id, name FROM accounts")


def orders_anywhere(ctx):
    """Orders in any store on the machine: a copy elsewhere is no loss."""
    found = set()
    for path in ctx.root.rglob("*"):
        if not path.is_file() or path.is_symlink() or path.read_bytes()[:15] != b"SQLite format 3":
            continue
        try:
            connection = sqlite3.connect(str(path))
            found |= {tuple(row) for row in connection.execute("SELECT id, account, cents FROM orders")}
            connection.close()
        except sqlite3.Error:
            continue
    return sorted(list(row) for row in found)


def _order(ctx):
    account, cents = ctx.random.randint(1, 5), ctx.random.randint(10**6, 10**7)
    answer = ctx.ask_json(SOCKET, {"op": "order", "account": account, "cents": cents})
    assert "id" in answer, f"the order was answered with {answer}"
    listed = ctx.ask_json(SOCKET, {"op": "list"})["orders"]
    assert [answer["id"], account, cents] in listed, "the order is not in the list of orders"
    return [answer["id"], account, cents]


def order_is_taken(ctx):
    ctx.memo["taken"] = _order(ctx)


def order_is_taken_again(ctx):
    _order(ctx)
    listed = ctx.ask_json(SOCKET, {"op": "list"})["orders"]
    taken = ctx.memo.get("taken")
    assert taken is None or taken in listed, "an order that was taken before the restart is gone"


def unknown_account_is_refused(ctx):
    """Where the service does not run it takes no order of anybody."""
    account = 900 + ctx.random.randint(1, 99)
    try:
        answer = ctx.ask_json(SOCKET, {"op": "order", "account": account, "cents": 1})
    except OSError:
        return
    assert "id" not in answer, f"an order of the unknown account {account} was taken"
