cat etc/worker.d/*.json
---
echo '{"concurrency": 4}' > etc/worker.d/99-local.json
init.d/worker reload
