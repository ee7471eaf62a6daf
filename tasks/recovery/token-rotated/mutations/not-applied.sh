sed -i s/2025/2026/ etc/sync.json
