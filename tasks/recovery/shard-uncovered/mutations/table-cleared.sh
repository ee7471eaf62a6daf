python3 -c "import sqlite3; s = sqlite3.connect('data/items.db', timeout=3); s.execute('DELETE FROM items WHERE state = \'waiting\''); s.commit()"
init.d/shards restart
