sed -i 's/"timeout_ms": 1,/"timeout_ms": 8,/' etc/up.json && init.d/gateway restart
