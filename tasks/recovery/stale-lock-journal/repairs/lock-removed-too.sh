cat data/lock data/journal.jsonl; ps ax
---
rm data/lock; echo '{"lock": true, "break_stale": true}' > etc/ledger.json; init.d/ledger start
