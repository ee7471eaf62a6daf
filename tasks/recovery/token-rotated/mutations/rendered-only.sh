sed -i s/2025/2026/ run/sync.json; sleep 0.5
