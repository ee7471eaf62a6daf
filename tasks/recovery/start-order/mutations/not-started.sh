rm etc/api.d/40-strict.json
