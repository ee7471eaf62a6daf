init.d/sync status; init.d/vault status; tail -n 2 log/sync.log log/vault.log; cat etc/sync.json etc/vault.json
---
cat etc/tokens.txt; ls -l etc/tokens; sed -n '14,45p' services/sync.py
---
echo '{"token_file": "etc/tokens/2026"}' > etc/sync.json && init.d/sync restart && sleep 0.4
---
python3 -c "import sqlite3; print(sqlite3.connect('data/pending.db').execute('SELECT sent, count(*) FROM pending GROUP BY sent').fetchall())"; init.d/sync status
