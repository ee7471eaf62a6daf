rm etc/limits.d/70-freeze.json
