init.d/tickets stop; echo '{}' > etc/tickets.json
---
python3 -c "import sqlite3; print(sqlite3.connect('data/tickets.db').execute('SELECT max(number) + 1 FROM tickets').fetchone()[0])" > data/next
---
init.d/tickets start
