init.d/tickets stop; echo '{}' > etc/tickets.json; echo 62 > data/next; init.d/tickets start
---
python3 -c "import sqlite3; s = sqlite3.connect('data/tickets.db'); s.execute('DELETE FROM tickets WHERE number = 12'); s.commit()"
