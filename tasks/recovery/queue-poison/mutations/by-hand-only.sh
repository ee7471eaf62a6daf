python3 - <<'P'
import sqlite3
s = sqlite3.connect("data/queue.db")
s.execute("INSERT INTO dlq SELECT id, payload, 'cut off' FROM queue WHERE id = 17")
s.execute("UPDATE queue SET state = 'dead' WHERE id = 17")
s.commit()
P
---
sleep 0.5; init.d/pipeline status
