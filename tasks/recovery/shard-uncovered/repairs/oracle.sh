init.d/shards status; tail -n 2 log/shards.log; cat etc/shards.json etc/machines.txt
---
python3 -c "import sqlite3; print(sqlite3.connect('data/items.db').execute('SELECT id % 4, state, count(*) FROM items GROUP BY 1, 2').fetchall())"
---
echo '{"mine": [0, 1, 2], "of": 4}' > etc/shards.json && init.d/shards restart && sleep 0.3
---
python3 -c "import sqlite3; print(sqlite3.connect('data/items.db').execute('SELECT id % 4, state, count(*) FROM items GROUP BY 1, 2').fetchall())"; init.d/shards status
