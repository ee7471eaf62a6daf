"""Builds the broken state: a desk that wants the store at its own start, which comes first."""

import hashlib
import json
import random
import sqlite3
import sys
from pathlib import Path

root, chance = Path(sys.argv[1]), random.Random(70)
for name in ("data", "log", "run"):
    (root / name).mkdir()
database = sqlite3.connect(root / "data" / "seats.db", isolation_level=None)
database.execute("PRAGMA synchronous=OFF")
database.execute("BEGIN")
database.execute("CREATE TABLE seats (seat INTEGER PRIMARY KEY, name TEXT NOT NULL)")
for seat in sorted(chance.sample(range(1, 120), 45)):
    database.execute("INSERT INTO seats VALUES (?, ?)", (seat, chance.choice(("Ada", "Ben", "Cleo", "Dan", "Eve"))))
database.execute("COMMIT")
database.close()
(root / "etc" / "word").write_text(hashlib.sha256(b"desk").hexdigest()[:12] + "\n")
(root / "etc" / "api.d").mkdir()
(root / "etc" / "api.d" / "10-base.json").write_text(json.dumps({"connect": "when-needed", "check_word": True}) + "\n")
(root / "etc" / "api.d" / "40-strict.json").write_text(json.dumps({"connect": "at-start"}) + "\n")
(root / "etc" / "boot-order").write_text("api\nstore\n")
(root / "log" / "api.log").write_text("refused to start: [Errno 2] No such file or directory\n")
