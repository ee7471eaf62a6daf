echo '{"db": "data/orders.db"}' > etc/conf.d/50-site.json
---
python3 -c "import sqlite3; s = sqlite3.connect('data/orders.db'); s.execute('UPDATE accounts SET name = \'Elm (closed)\' WHERE id = 5'); s.commit()"
init.d/orders start
