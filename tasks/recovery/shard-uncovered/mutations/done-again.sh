echo '{"mine": [0, 1, 2], "of": 4}' > etc/shards.json
python3 -c "import sqlite3; s = sqlite3.connect('data/items.db', timeout=3); s.execute('UPDATE items SET state = \'waiting\' WHERE id IN (8, 9)'); s.commit()"
init.d/shards restart; sleep 0.3
