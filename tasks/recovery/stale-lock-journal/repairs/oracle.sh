init.d/ledger start; tail -n 2 log/ledger.log; cat etc/ledger.json
---
cat data/lock; echo; cat run/boot; ps ax | grep -c '[l]edger.py'; cat data/state.json data/journal.jsonl
---
sed -n '15,60p' services/ledger.py
---
sed -i 's/"break_stale": false/"break_stale": true/' etc/ledger.json && init.d/ledger start
---
python3 lib/ask.py run/ledger.sock '{"op": "balance"}'; cat data/lock; init.d/ledger status
