python3 -c "import sqlite3; s = sqlite3.connect('data/u.db'); print([s.execute(f'SELECT count(*) FROM {t}').fetchall() for t in ('users', 'users2', 'meta')])"
---
python3 - <<'P'
import sqlite3
s = sqlite3.connect("data/u.db", isolation_level=None)
s.execute("BEGIN IMMEDIATE")
s.execute("DROP TABLE users2")
s.execute("CREATE TABLE users2 (id INTEGER PRIMARY KEY, first TEXT NOT NULL, last TEXT NOT NULL, email TEXT NOT NULL UNIQUE)")
for number, name, email in s.execute("SELECT id, name, email FROM users ORDER BY id").fetchall():
    s.execute("INSERT INTO users2 VALUES (?, ?, ?, ?)", (number, *name.split(" ", 1), email))
s.execute("ALTER TABLE users RENAME TO users_v1_backup")
s.execute("ALTER TABLE users2 RENAME TO users")
s.execute("UPDATE meta SET v = 2")
s.execute("COMMIT")
P
init.d/app start
