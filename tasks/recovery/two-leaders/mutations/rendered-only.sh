sed -i s/orders-b/orders/ run/b.json; sleep 0.2
python3 -c "import sqlite3; s = sqlite3.connect('data/orders.db', timeout=3); s.execute('DELETE FROM receipts WHERE number NOT IN (SELECT min(number) FROM receipts GROUP BY order_id)'); s.commit()"
