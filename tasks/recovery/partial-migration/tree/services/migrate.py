"""The migration from schema 1 to schema 2."""

import sqlite3
import sys
from pathlib import Path

store = sqlite3.connect(Path(__file__).resolve().parent.parent / "data" / "u.db", isolation_level=None)
if store.execute("SELECT v FROM meta").fetchone()[0] == 2:
    print("the database has schema 2: nothing to do")
    sys.exit(0)
if store.execute("SELECT 1 FROM sqlite_master WHERE name = 'users2'").fetchone():
    print("users2 is there: an earlier run was interrupted; refusing to go on")
    sys.exit(1)
store.execute(
    "CREATE TABLE users2 (id INTEGER PRIMARY KEY, first TEXT NOT NULL, last TEXT NOT NULL, email TEXT NOT NULL UNIQUE)"
)
for number, name, email in store.execute("SELECT id, name, email FROM users ORDER BY id").fetchall():
    first, _, last = name.partition(" ")
    store.execute("INSERT INTO users2 VALUES (?, ?, ?, ?)", (number, first, last, email))
store.execute("DROP TABLE users")
store.execute("ALTER TABLE users2 RENAME TO users")
store.execute("UPDATE meta SET v = 2")
