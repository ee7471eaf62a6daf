sed -i 's/"timeout_ms": 1,/"timeout_ms": 500,/' run/gateway.json
