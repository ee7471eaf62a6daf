rm data/seats.db; python3 -c "import sqlite3; s = sqlite3.connect('data/seats.db'); s.execute('CREATE TABLE seats (seat INTEGER PRIMARY KEY, name TEXT NOT NULL)'); s.commit()"
---
init.d/store restart; init.d/api start
