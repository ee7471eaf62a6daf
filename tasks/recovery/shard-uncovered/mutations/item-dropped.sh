echo '{"mine": [0, 1, 2], "of": 4}' > etc/shards.json; init.d/shards restart; sleep 0.3
python3 -c "import sqlite3; s = sqlite3.connect('data/items.db', timeout=3); s.execute('DELETE FROM items WHERE id = 7'); s.commit()"
