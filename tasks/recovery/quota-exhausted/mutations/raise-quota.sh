echo '{"quota_kib": 1024}' > etc/platform.json && init.d/recorder restart
