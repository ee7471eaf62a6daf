rm etc/limits.d/70-freeze.json; sed -i 's/"enforce": true/"enforce": false/' etc/gateway.json; init.d/gateway restart
