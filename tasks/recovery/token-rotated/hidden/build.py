"""Builds the broken state: the sender shows the token that was revoked."""

import hashlib
import json
import random
import sqlite3
import sys
from pathlib import Path

root, chance = Path(sys.argv[1]), random.Random(2026)
for name in ("data", "log", "run", "etc/tokens"):
    (root / name).mkdir()
pending = sqlite3.connect(root / "data" / "pending.db", isolation_level=None)
vault = sqlite3.connect(root / "data" / "vault.db", isolation_level=None)
for store, table in ((pending, "pending (id INTEGER PRIMARY KEY, text TEXT, sent INTEGER)"), (vault, "records (id INTEGER PRIMARY KEY, text TEXT)")):
    store.execute("PRAGMA synchronous=OFF")
    store.execute("BEGIN")
    store.execute(f"CREATE TABLE {table}")
for number in range(1, 41):
    text = f"{chance.random():.10f}"
    pending.execute("INSERT INTO pending VALUES (?, ?, ?)", (number, text, int(number < 25)))
    if number < 25:
        vault.execute("INSERT INTO records VALUES (?, ?)", (number, text))
for store in (pending, vault):
    store.execute("COMMIT")
    store.close()
for name in ("2025", "2026"):
    path = root / "etc" / "tokens" / name
    path.write_text(hashlib.sha256(f"token {name}".encode()).hexdigest() + "\n")
    path.chmod(0o600)
(root / "etc" / "vault.json").write_text(json.dumps({"accept": ["etc/tokens/2026"]}) + "\n")
(root / "etc" / "sync.json").write_text(json.dumps({"token_file": "etc/tokens/2025"}) + "\n")
(root / "etc" / "tokens.txt").write_text("2025: revoked, was found in a public paste\n2026: in use\n")
(root / "log" / "sync.log").write_text("record 25 with etc/tokens/2025: token\n")
(root / "log" / "vault.log").write_text("record 25: this token is not accepted\n")
