python3 -c "import sqlite3; s = sqlite3.connect('data/orders.db', timeout=3); s.execute('DELETE FROM receipts'); s.commit()"
---
init.d/a restart; init.d/b restart
