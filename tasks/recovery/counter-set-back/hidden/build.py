"""Builds the broken state: a counter that each start sets back, below numbers that were given out already."""

import json
import random
import sqlite3
import sys
from pathlib import Path

root, chance = Path(sys.argv[1]), random.Random(12)
for name in ("data", "log", "run"):
    (root / name).mkdir()
store = sqlite3.connect(root / "data" / "tickets.db", isolation_level=None)
store.execute("PRAGMA synchronous=OFF")
store.execute("BEGIN")
store.execute("CREATE TABLE tickets (number INTEGER PRIMARY KEY, title TEXT NOT NULL)")
closed = {5, 9, 23, 58, 60, 61}  # among them the last ones: the highest open ticket is not the highest number
for number in range(1, 62):
    title = f"{chance.choice(('printer', 'door', 'lamp', 'pump'))} {chance.randint(100, 999)}"
    if number not in closed:
        store.execute("INSERT INTO tickets VALUES (?, ?)", (number, title))
store.execute("COMMIT")
store.close()
(root / "data" / "given.log").write_text("".join(f"{number}\n" for number in range(1, 62)))
(root / "data" / "next").write_text("12\n")
(root / "etc" / "tickets.json").write_text(json.dumps({"start_at": 12}) + "\n")
(root / "log" / "tickets.log").write_text("ticket 12: UNIQUE constraint failed: tickets.number\n")
