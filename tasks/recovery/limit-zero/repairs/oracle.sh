init.d/gateway status; tail -n 2 log/gateway.log; python3 lib/ask.py run/gateway.sock '{"op": "use", "client": "lab", "note": "a try"}'
---
head etc/limits.d/*.json etc/gateway.json; cat docs/limits.md data/banned.txt; tail -n 2 data/usage.log
---
sed -n '20,42p' services/gateway.py
---
rm etc/limits.d/70-freeze.json && init.d/gateway restart
---
cat run/gateway.json; python3 lib/ask.py run/gateway.sock '{"op": "use", "client": "lab", "note": "a try"}'
