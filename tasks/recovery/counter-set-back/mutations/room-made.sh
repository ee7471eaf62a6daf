python3 -c "import sqlite3; s = sqlite3.connect('data/tickets.db'); s.execute('DELETE FROM tickets WHERE number >= 12'); s.commit()"
---
init.d/tickets restart
