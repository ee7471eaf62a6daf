"""Builds the broken state: thirty users in schema 1, twelve of them copied."""

import random
import sqlite3
import sys
from pathlib import Path

root, chance = Path(sys.argv[1]), random.Random(30)
FIRST = "Ada Ben Cleo Dan Eva Finn Gus Hana Ivo Jana".split()
LAST = "Abel Brandt Conrad".split()
(root / "data").mkdir()
store = sqlite3.connect(root / "data" / "u.db", isolation_level=None)
store.execute("PRAGMA synchronous=OFF")
store.execute("BEGIN")
store.execute("CREATE TABLE meta (v INTEGER)")
store.execute("INSERT INTO meta VALUES (1)")
store.execute("CREATE TABLE users (id INTEGER PRIMARY KEY, name TEXT NOT NULL, email TEXT NOT NULL)")
store.execute("CREATE TABLE posts (id INTEGER PRIMARY KEY, user INTEGER NOT NULL, text TEXT)")
store.execute(
    "CREATE TABLE users2 (id INTEGER PRIMARY KEY, first TEXT NOT NULL, last TEXT NOT NULL, email TEXT NOT NULL UNIQUE)"
)
for number in range(1, 31):
    first, last = FIRST[(number - 1) % 10], LAST[(number - 1) // 10]
    email = f"{first}.{last}@example.invalid".lower()
    store.execute("INSERT INTO users VALUES (?, ?, ?)", (number, f"{first} {last}", email))
    if number <= 12:
        store.execute("INSERT INTO users2 VALUES (?, ?, ?, ?)", (number, first, last, email))
for number in range(1, 81):
    store.execute("INSERT INTO posts VALUES (?, ?, ?)", (number, chance.randint(1, 30), f"post {chance.random():.6f}"))
store.execute("COMMIT")
store.close()
for name in ("log", "run"):
    (root / name).mkdir()
(root / "log" / "app.log").write_text("migrate: killed after 12 of 30 rows\n")
