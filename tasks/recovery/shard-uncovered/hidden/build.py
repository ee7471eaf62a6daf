"""Builds the broken state: three shards, of which nobody takes the last, and one that another machine takes."""

import hashlib
import json
import random
import sqlite3
import sys
from pathlib import Path

root, chance = Path(sys.argv[1]), random.Random(3)
for name in ("data", "log", "run"):
    (root / name).mkdir()
store = sqlite3.connect(root / "data" / "items.db", isolation_level=None)
store.execute("PRAGMA synchronous=OFF")
store.execute("BEGIN")
store.execute("CREATE TABLE items (id INTEGER PRIMARY KEY, payload TEXT NOT NULL, state TEXT NOT NULL)")
store.execute("CREATE TABLE receipts (id INTEGER, receipt TEXT)")
for number in range(1, 61):
    payload = f"{chance.random():.10f}"
    shard = number % 4
    state = "done" if shard in (0, 1) or number < 20 else "waiting"
    store.execute("INSERT INTO items VALUES (?, ?, ?)", (number, payload, state))
    if state == "done" and shard != 3:  # shard 3 is the other machine's: its receipts are there
        receipt = hashlib.sha256(f"{number}:{payload}".encode()).hexdigest()[:16]
        store.execute("INSERT INTO receipts VALUES (?, ?)", (number, receipt))
store.execute("COMMIT")
store.close()
(root / "etc" / "shards.json").write_text(json.dumps({"mine": [0, 1], "of": 4}) + "\n")
(root / "etc" / "machines.txt").write_text("this machine: 0 1 2\nthe other machine: 3\n")
(root / "log" / "shards.log").write_text("takes [0, 1] of 4\n")
