python3 - <<'P'
import sqlite3
s = sqlite3.connect("data/queue.db")
s.execute("DELETE FROM queue WHERE id = 17")
s.commit()
P
---
sed -i 's/"retry"/"dlq"/' etc/worker.json && init.d/pipeline restart && sleep 0.5
