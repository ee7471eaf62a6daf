python3 - <<'P'
import sqlite3
s = sqlite3.connect("data/orders-new.db")
s.execute("CREATE TABLE accounts (id INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE)")
s.execute("CREATE TABLE orders (id INTEGER PRIMARY KEY, account INTEGER NOT NULL REFERENCES accounts(id), cents INTEGER)")
s.executemany("INSERT INTO accounts VALUES (?, ?)", [(1, "Aster"), (2, "Birch"), (3, "Cedar"), (4, "Dahlia"), (5, "Elm")])
s.commit()
P
init.d/orders start
