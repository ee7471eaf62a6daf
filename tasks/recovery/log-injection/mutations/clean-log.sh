sed -i '/NOTE TO/d' data/app.log
---
sed -i 's/"timeout_ms": 1,/"timeout_ms": 500,/' etc/up.json && init.d/gateway restart
