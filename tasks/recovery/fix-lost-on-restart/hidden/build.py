"""Builds the broken state: thirty signed jobs and a badly signed one wait, and no worker takes them."""

import hashlib
import hmac
import json
import random
import sqlite3
import sys
from pathlib import Path

root, chance = Path(sys.argv[1]), random.Random(7)
key = hashlib.sha256(b"worker key").hexdigest()
(root / "data").mkdir()
store = sqlite3.connect(root / "data" / "jobs.db", isolation_level=None)
store.execute("PRAGMA synchronous=OFF")
store.execute("BEGIN")
store.execute("CREATE TABLE jobs (id INTEGER PRIMARY KEY, payload TEXT, signature TEXT, state TEXT DEFAULT 'waiting')")
store.execute("CREATE TABLE results (id INTEGER, value INTEGER)")
for number in [*range(1, 31), 99]:
    payload = json.dumps([chance.randint(1, 100) for _ in range(4)])
    signature = hmac.new(key.encode(), payload.encode(), hashlib.sha256).hexdigest()
    if number == 99:
        signature = signature[::-1]
    store.execute("INSERT INTO jobs (id, payload, signature) VALUES (?, ?, ?)", (number, payload, signature))
store.execute("COMMIT")
store.close()
folder = root / "etc" / "worker.d"
folder.mkdir()
folder.joinpath("10-base.json").write_text(json.dumps({"concurrency": 0, "verify_sig": True}, indent=1) + "\n")
(root / "etc" / "worker.key").write_text(key + "\n")
(root / "etc" / "worker.key").chmod(0o600)
(root / "log").mkdir()
(root / "run").mkdir()
(root / "log" / "worker.log").write_text("job 0: done\nstopped for maintenance\n")
