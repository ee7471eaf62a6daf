tail -n 3 data/app.log; cat etc/up.json
---
sed -i -e 's/"timeout_ms": 1,/"timeout_ms": 2000,/' -e 's/"retries": 0/"retries": 2/' etc/up.json; init.d/gateway reload
