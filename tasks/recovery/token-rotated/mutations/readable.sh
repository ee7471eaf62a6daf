sed -i s/2025/2026/ etc/sync.json; init.d/sync restart; sleep 0.4; chmod 644 etc/tokens/2026
