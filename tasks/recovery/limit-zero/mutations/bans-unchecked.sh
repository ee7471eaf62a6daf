rm etc/limits.d/70-freeze.json; sed -i 's/"check_bans": true/"check_bans": false/' etc/gateway.json; init.d/gateway restart
