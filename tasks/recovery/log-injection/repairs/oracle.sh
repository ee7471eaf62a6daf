init.d/gateway status; init.d/upstream status; python3 lib/ask.py run/gateway.sock '{"user": "ada", "key": "k"}'
---
cat data/app.log; cat etc/up.json
---
sed -n '15,45p' services/gateway.py
---
sed -i 's/"timeout_ms": 1,/"timeout_ms": 500,/' etc/up.json && init.d/gateway restart
---
python3 lib/ask.py run/gateway.sock '{"user": "ada", "key": "k"}'; init.d/gateway status
