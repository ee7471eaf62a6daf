sed -i s/orders-b/orders/ etc/b.json; init.d/b restart; python3 -c "import sqlite3; s = sqlite3.connect('data/orders.db', timeout=3); s.execute('DELETE FROM receipts WHERE number NOT IN (SELECT min(number) FROM receipts GROUP BY order_id)'); s.commit()"
sed -i s/true/false/ etc/a.json etc/b.json; init.d/a restart; init.d/b restart
