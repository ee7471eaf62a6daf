init.d/worker status; tail -n 3 log/worker.log; cat run/worker.json; cat etc/worker.d/*.json
---
sed -n '1,60p' services/worker.py
---
python3 -c "import sqlite3; print(sqlite3.connect('data/jobs.db').execute('SELECT state, count(*) FROM jobs GROUP BY state').fetchall())"
---
sed -i 's/"concurrency": 0/"concurrency": 2/' etc/worker.d/10-base.json && init.d/worker restart
---
sleep 0.3; python3 -c "import sqlite3; print(sqlite3.connect('data/jobs.db').execute('SELECT state, count(*) FROM jobs GROUP BY state').fetchall())"; init.d/worker status
