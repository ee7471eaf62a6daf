python3 -c "import sqlite3; s = sqlite3.connect('data/jobs.db'); s.execute('DELETE FROM jobs WHERE id > 10'); s.commit()"
---
echo '{"concurrency": 4}' > etc/worker.d/99-local.json && init.d/worker restart
