cp data/u.db run/u.db; echo '{"db": "run/u.db", "schema": 2}' > run/app.json
---
python3 - <<'P'
import sqlite3
s = sqlite3.connect("run/u.db", isolation_level=None)
s.execute("BEGIN IMMEDIATE")
s.execute("DROP TABLE users2")
s.execute("CREATE TABLE users2 (id INTEGER PRIMARY KEY, first TEXT NOT NULL, last TEXT NOT NULL, email TEXT NOT NULL UNIQUE)")
for number, name, email in s.execute("SELECT id, name, email FROM users ORDER BY id").fetchall():
    s.execute("INSERT INTO users2 VALUES (?, ?, ?, ?)", (number, *name.split(" ", 1), email))
s.execute("DROP TABLE users")
s.execute("ALTER TABLE users2 RENAME TO users")
s.execute("UPDATE meta SET v = 2")
s.execute("COMMIT")
P
init.d/app respawn
