"""Builds the broken state: forty items, sixteen of them done, the seventeenth cut off."""

import json
import random
import sqlite3
import sys
from pathlib import Path

root, chance = Path(sys.argv[1]), random.Random(17)
(root / "data").mkdir()
store = sqlite3.connect(root / "data" / "queue.db", isolation_level=None)
store.execute("PRAGMA synchronous=OFF")
store.execute("BEGIN")
store.execute("CREATE TABLE queue (id INTEGER PRIMARY KEY, payload TEXT NOT NULL, state TEXT NOT NULL)")
store.execute("CREATE TABLE out (id INTEGER, sum INTEGER)")
store.execute("CREATE TABLE dlq (id INTEGER, payload TEXT, error TEXT)")
for number in range(1, 41):
    payload = json.dumps({"values": [chance.randint(1, 500) for _ in range(5)]})
    state = "done" if number < 17 else "pending"
    if number == 17:
        payload = payload[:-9]
    else:
        if state == "done":
            store.execute("INSERT INTO out VALUES (?, ?)", (number, sum(json.loads(payload)["values"])))
    store.execute("INSERT INTO queue VALUES (?, ?, ?)", (number, payload, state))
store.execute("COMMIT")
store.close()
(root / "etc" / "worker.json").write_text(json.dumps({"on_error": "retry"}, indent=1) + "\n")
(root / "log").mkdir()
(root / "run").mkdir()
(root / "log" / "pipeline.log").write_text("started\n")
