"""Builds the broken state: forty orders; since the twenty-fifth each has two receipts, as there are two leases."""

import json
import random
import sqlite3
import sys
from pathlib import Path

root, chance = Path(sys.argv[1]), random.Random(77)
for name in ("data", "etc", "log", "run"):
    (root / name).mkdir(exist_ok=True)
store = sqlite3.connect(root / "data" / "orders.db", isolation_level=None)
store.execute("PRAGMA synchronous=OFF")
store.execute("BEGIN")
store.execute("CREATE TABLE orders (id INTEGER PRIMARY KEY, amount INTEGER NOT NULL)")
store.execute(
    "CREATE TABLE receipts (number INTEGER PRIMARY KEY AUTOINCREMENT, order_id INTEGER, amount INTEGER, worker TEXT)"
)
store.execute("CREATE TABLE leases (name TEXT PRIMARY KEY, holder TEXT, until REAL, last INTEGER)")
for number in range(1, 41):
    amount = chance.randint(10, 900)
    store.execute("INSERT INTO orders VALUES (?, ?)", (number, amount))
    workers = ["a"] if number < 25 else chance.sample(["a", "b"], 2)
    for worker in workers:
        store.execute("INSERT INTO receipts (order_id, amount, worker) VALUES (?, ?, ?)", (number, amount, worker))
store.executemany("INSERT INTO leases VALUES (?, '', 0, 40)", [("orders",), ("orders-b",)])
store.execute("COMMIT")
store.close()
(root / "etc" / "a.json").write_text(json.dumps({"lease": "orders", "check_lease": True}, indent=1) + "\n")
(root / "etc" / "b.json").write_text(json.dumps({"lease": "orders-b", "check_lease": True}, indent=1) + "\n")
(root / "log" / "a.log").write_text("works with lease orders\n")
(root / "log" / "b.log").write_text("works with lease orders\nworks with lease orders-b\n")
