sed -i 's/"lab": 0/"lab": 5/' run/gateway.json
