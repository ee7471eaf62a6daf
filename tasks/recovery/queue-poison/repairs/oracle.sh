init.d/pipeline status; tail -n 5 log/pipeline.log; cat etc/worker.json
---
python3 -c "import sqlite3; s = sqlite3.connect('data/queue.db'); print(s.execute('SELECT state, count(*) FROM queue GROUP BY state').fetchall(), s.execute('SELECT * FROM queue WHERE id = 17').fetchall())"
---
sed -n '14,45p' services/pipeline.py
---
sed -i 's/"retry"/"dlq"/' etc/worker.json && init.d/pipeline restart && sleep 0.5
---
python3 -c "import sqlite3; s = sqlite3.connect('data/queue.db'); print(s.execute('SELECT state, count(*) FROM queue GROUP BY state').fetchall(), s.execute('SELECT * FROM dlq').fetchall(), s.execute('SELECT count(*), count(DISTINCT id) FROM out').fetchall())"
