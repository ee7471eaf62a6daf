python3 -c "import sqlite3; s = sqlite3.connect('data/readings.db', timeout=3); s.execute('DELETE FROM readings'); s.commit()"
---
mv data/raw/*.csv data/in/; sleep 0.5
