init.d/app status; cat log/app.log etc/app.json; sed -n '1,30p' services/migrate.py
---
python3 - <<'P'
import sqlite3
s = sqlite3.connect("data/u.db")
print(s.execute("SELECT name, sql FROM sqlite_master").fetchall())
print(s.execute("SELECT v FROM meta").fetchall(), [s.execute(f"SELECT count(*) FROM {t}").fetchone() for t in ("users", "users2", "posts")])
P
---
python3 - <<'P'
import sqlite3
s = sqlite3.connect("data/u.db", isolation_level=None)
s.execute("BEGIN IMMEDIATE")
for number, name, email in s.execute("SELECT id, name, email FROM users ORDER BY id").fetchall():
    s.execute("INSERT OR IGNORE INTO users2 VALUES (?, ?, ?, ?)", (number, *name.split(" ", 1), email))
assert s.execute("SELECT count(*) FROM users2").fetchone() == s.execute("SELECT count(*) FROM users").fetchone()
s.execute("DROP TABLE users")
s.execute("ALTER TABLE users2 RENAME TO users")
s.execute("UPDATE meta SET v = 2")
s.execute("COMMIT")
P
init.d/app start
---
python3 lib/ask.py run/app.sock '{"op": "users"}' | cut -c1-300; python3 services/migrate.py; init.d/app restart
