init.d/accounts status; tail -n 2 log/accounts.log; cat etc/accounts.json; ls -l data
---
cut -c1-40 data/snapshot.json data/snapshot.1.json; tail -c 30 data/snapshot.json; head -n 1 data/journal.log; tail -n 1 data/journal.log
---
sed -n '20,46p' services/accounts.py; python3 -c "import json; print(len(json.load(open('data/snapshot.1.json'))['balances']))"
---
sed -i 's/"in-place"/"atomic"/' etc/accounts.json && cp data/snapshot.1.json data/snapshot.json && init.d/accounts start
---
python3 lib/ask.py run/accounts.sock '{"op": "balances"}'; init.d/accounts restart
