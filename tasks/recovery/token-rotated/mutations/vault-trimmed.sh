sed -i s/2025/2026/ etc/sync.json; init.d/sync restart; sleep 0.4
python3 -c "import sqlite3; s = sqlite3.connect('data/vault.db', timeout=3); s.execute('UPDATE records SET text = \'\' WHERE id = 3'); s.commit()"
