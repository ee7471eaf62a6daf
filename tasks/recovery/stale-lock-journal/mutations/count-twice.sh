echo '{"balance": 120, "applied": []}' > data/state.json; sed -i 's/"break_stale": false/"break_stale": true/' etc/ledger.json && init.d/ledger start
