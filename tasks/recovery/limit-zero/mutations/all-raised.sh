rm etc/limits.d/70-freeze.json; echo '{"shop": 99, "press": 99, "bulk": 99}' > etc/limits.d/80-more.json; init.d/gateway restart
