init.d/api status; init.d/store status; tail -n 2 log/api.log; cat etc/boot-order
---
head etc/api.d/*.json; sed -n '13,45p' services/api.py
---
echo '{"connect": "when-needed"}' > etc/api.d/40-strict.json; init.d/api start
---
python3 lib/ask.py run/api.sock '{"op": "list"}' | cut -c1-120; init.d/store stop; init.d/api restart; init.d/store start; python3 lib/ask.py run/api.sock '{"op": "list"}' | cut -c1-120
