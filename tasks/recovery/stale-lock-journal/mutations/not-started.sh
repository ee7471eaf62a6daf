sed -i 's/"break_stale": false/"break_stale": true/' etc/ledger.json
