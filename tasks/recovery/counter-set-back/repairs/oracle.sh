init.d/tickets status; tail -n 2 log/tickets.log; cat etc/tickets.json data/next
---
tail -n 3 data/given.log; sort -n data/given.log | tail -n 1; python3 -c "import sqlite3; print(sqlite3.connect('data/tickets.db').execute('SELECT count(*), max(number) FROM tickets').fetchall())"
---
sed -n '14,45p' services/tickets.py
---
init.d/tickets stop; echo '{}' > etc/tickets.json; echo $(($(sort -n data/given.log | tail -n 1) + 1)) > data/next; init.d/tickets start
---
python3 lib/ask.py run/tickets.sock '{"op": "open", "title": "after the repair"}'; init.d/tickets restart; python3 lib/ask.py run/tickets.sock '{"op": "open", "title": "after a restart"}'
