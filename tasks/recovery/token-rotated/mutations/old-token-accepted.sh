echo '{"accept": ["etc/tokens/2026", "etc/tokens/2025"]}' > etc/vault.json; init.d/vault restart; sleep 0.6
