cat etc/*.json; grep -n lease services/worker.py
---
sed -i s/orders/orders-b/ etc/a.json; init.d/a restart
---
python3 -c "import sqlite3; s = sqlite3.connect('data/orders.db', timeout=3); s.execute('DELETE FROM receipts WHERE number NOT IN (SELECT min(number) FROM receipts GROUP BY order_id)'); s.commit()"
