python3 - <<'P'
import sqlite3
s = sqlite3.connect("data/u.db", isolation_level=None)
s.execute("DROP TABLE users")
s.execute("ALTER TABLE users2 RENAME TO users")
s.execute("UPDATE meta SET v = 2")
P
init.d/app start
