init.d/a status; init.d/b status; tail -n 2 log/a.log log/b.log; head etc/a.json etc/b.json
---
python3 -c "import sqlite3; s = sqlite3.connect('data/orders.db'); print(s.execute('SELECT order_id, group_concat(number) FROM receipts GROUP BY order_id HAVING count(*) > 1').fetchall(), s.execute('SELECT name, holder, last FROM leases').fetchall())"
---
sed -n '27,55p' services/worker.py; python3 lib/ask.py run/b.sock '{"op": "status"}'
---
sed -i 's/"orders-b"/"orders"/' etc/b.json && init.d/b restart
---
python3 -c "import sqlite3; s = sqlite3.connect('data/orders.db', timeout=3); s.execute('DELETE FROM receipts WHERE number NOT IN (SELECT min(number) FROM receipts GROUP BY order_id)'); s.commit()"
---
python3 lib/ask.py run/a.sock '{"op": "status"}'; python3 lib/ask.py run/b.sock '{"op": "status"}'
