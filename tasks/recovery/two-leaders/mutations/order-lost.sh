sed -i s/orders-b/orders/ etc/b.json; init.d/b restart
python3 -c "import sqlite3; s = sqlite3.connect('data/orders.db', timeout=3); s.execute('DELETE FROM receipts WHERE number NOT IN (SELECT min(number) FROM receipts GROUP BY order_id)'); s.commit()"
python3 -c "import sqlite3; s = sqlite3.connect('data/orders.db', timeout=3); s.execute('DELETE FROM orders WHERE id = 7'); s.commit()"
