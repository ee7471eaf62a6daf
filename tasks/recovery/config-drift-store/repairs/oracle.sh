init.d/orders status; tail -n 5 log/orders.log; ls -l etc/conf.d data
---
for f in etc/conf.d/*.json; do echo "== $f"; cat "$f"; done
---
python3 -c "import sqlite3; s = sqlite3.connect('data/orders.db'); print(s.execute('SELECT count(*) FROM orders').fetchall(), s.execute('SELECT * FROM accounts').fetchall())"
---
echo '{"db": "data/orders.db"}' > etc/conf.d/50-site.json && init.d/orders start
---
python3 lib/ask.py run/orders.sock '{"op": "list"}' | cut -c1-200
---
init.d/orders restart && init.d/orders status
